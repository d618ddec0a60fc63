"""The lines of a text file, with their numbers."""

from collections.abc import Iterator

from nerscope.formats.files import FileBytes, line_blocks


def numbered_lines(data: FileBytes, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines of a file, counted from 1, without their ends.

    >>> list(numbered_lines(FileBytes("a.txt", data=b"Ada/PER\\r\\nmet/O")))
    [(1, 'Ada/PER'), (2, 'met/O')]
    """
    number = 0
    with data.open() as stream:
        for block in line_blocks(stream, data.name, encoding):
            for line in block.decode().split("\n")[:-1]:
                number += 1
                yield number, line
