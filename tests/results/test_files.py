"""Files are written whole or not at all, and what is no plain file is left what it is."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from nerscope.errors import FaultError, NerscopeError, OutputError
from nerscope.results.files import write_bytes, write_text


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, FaultError),
        (errno.EIO, FaultError),
        (errno.EACCES, OutputError),
    ],
)
def test_a_file_is_written_whole_or_not_at_all(
    number: int, kind: type[NerscopeError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "results.json"
    write_text(target, "old")

    def fail(self: Path, other: Path) -> Path:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(kind, match=os.strerror(number)):
            write_text(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    write_text(target, "new")
    assert target.read_text() == "new"


@pytest.mark.parametrize(
    ("place", "fact"),
    [
        ("missing/results.json", "it cannot be written"),
        ("file/results.json", "it cannot be written"),
        ("n" * 300, "it cannot be written"),
        ("folder", "this is a folder"),
        ("nul\0byte", "not a file name"),
    ],
)
def test_a_target_that_cannot_be_written_is_said(tmp_path: Path, place: str, fact: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=fact):
        write_text(tmp_path / place, "new")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["", ".", "..", "/"])
def test_a_target_without_a_name_is_said(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError):
        write_text(place, "new")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    target.write_text("old")
    target.chmod(mode)
    write_text(target, "new")
    assert (stat.S_IMODE(target.stat().st_mode), target.read_text()) == (mode, "new")


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_mode_that_the_mask_leaves(mask: int, mode: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "new", "new")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode


@pytest.mark.parametrize("there", [True, False])
def test_a_link_keeps_pointing_where_it_points(there: bool, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "results.json", tmp_path / "link.json"
    if there:
        target.write_text("old")
    link.symlink_to(Path("deep") / "results.json")
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert not target.is_symlink()


def test_a_device_is_written_to_as_it_is() -> None:
    before = Path(os.devnull).stat()
    write_bytes(os.devnull, b"gone")
    after = Path(os.devnull).stat()
    assert stat.S_ISCHR(after.st_mode)
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"through")
    reader.join(timeout=30)
    assert heard == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_device_is_a_fault() -> None:
    with pytest.raises(FaultError, match="No space left on device"):
        write_bytes("/dev/full", b"x" * 100_000)


def test_nobody_can_guess_the_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts: list[str] = []
    replace = Path.replace

    def seen(self: Path, other: Path) -> Path:
        drafts.append(self.name)
        return replace(self, other)

    monkeypatch.setattr(Path, "replace", seen)
    for _ in range(3):
        write_text(tmp_path / "results.json", "new")
    assert len(set(drafts)) == 3
    assert all("results.json" not in name for name in drafts)


def test_text_that_was_no_text_is_written_as_it_was(tmp_path: Path) -> None:
    write_text(tmp_path / "x", b"caf\xe9".decode("utf-8", "surrogateescape"))
    assert (tmp_path / "x").read_bytes() == b"caf\xe9"
