"""`python -m nerscope` is the command line."""

from nerscope.cli.main import main

main()
