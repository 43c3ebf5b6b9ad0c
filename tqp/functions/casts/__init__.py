"""CAST and TRY_CAST: numbers (`cast`), to and from text (`text`), which `parsing` and `intervals` read."""
