"""`nerscope explain`: what a word means."""

import typer

from nerscope.cli.common import put


def command(
    terms: list[str] = typer.Argument(
        None, metavar="[TERM…]", help="Words such as tcm, eCon or ter; all of them without any."
    ),
) -> None:
    """Tell what the words in tables mean."""
    from nerscope.results.glossary import GLOSSARY, explained

    put("\n".join(explained(term) for term in terms or GLOSSARY) + "\n")
