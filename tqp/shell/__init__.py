"""The command line: statements of texts and files in one go (`batch`), or one after the other as they are typed (`repl`).

`arguments` reads what the command was called with, and imports nothing more before it knows that it is needed.
"""
