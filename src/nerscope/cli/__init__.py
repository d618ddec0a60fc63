"""The command line: parse, call, render. One module a command."""
