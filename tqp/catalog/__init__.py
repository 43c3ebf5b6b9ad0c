"""Tables, views, macros and models by name: what statements define, versions of files, changes that are seen at once."""
