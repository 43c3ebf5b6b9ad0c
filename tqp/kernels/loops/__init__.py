"""Loops over rows that Numba compiles to machine code, for variants of operations on the CPU."""
