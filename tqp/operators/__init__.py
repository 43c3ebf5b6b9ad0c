"""Operators: what rows come from, pass through and end in, a file each, with the batches and keys that they work on."""
