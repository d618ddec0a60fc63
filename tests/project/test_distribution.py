"""What others install: the wheel and the archive hold what they must, and the wheel works alone."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

from nerscope.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
# What must never be packed, whatever lies about in a checkout.
UNWANTED = ("tests/", "test_", "node_modules", "web/", "__pycache__", "shared/", ".venv")


class Built(NamedTuple):
    wheel: Path
    archive: Path

    @property
    def in_wheel(self) -> list[str]:
        with zipfile.ZipFile(self.wheel) as file:
            return file.namelist()

    @property
    def in_archive(self) -> list[str]:
        with tarfile.open(self.archive) as file:
            return [name.partition("/")[2] for name in file.getnames()]

    def read(self, name: str) -> str:
        with zipfile.ZipFile(self.wheel) as file:
            return file.read(f"nerscope-{VERSION}.dist-info/{name}").decode("utf-8")

    @property
    def metadata(self) -> Message:
        return Parser().parsestr(self.read("METADATA"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, archive)


def test_names_say_that_any_machine_will_do(built: Built) -> None:
    assert built.wheel.name == f"nerscope-{VERSION}-py3-none-any.whl"
    assert built.archive.name == f"nerscope-{VERSION}.tar.gz"


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(built: Built) -> None:
    source = ROOT / "src"
    files = (path for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc")
    package = {path.relative_to(source).as_posix() for path in files if "egg-info" not in str(path)}
    pages = {f"nerscope/render/assets/{name}.html" for name in ("report", "decide")}
    assert {"nerscope/py.typed", *pages} <= package
    package |= {"nerscope/messages.md"}  # copied from docs, for `nerscope explain`
    metadata_folder = f"nerscope-{VERSION}.dist-info/"
    assert {name for name in built.in_wheel if not name.startswith(metadata_folder)} == package


def test_the_archive_holds_what_a_build_needs(built: Built) -> None:
    needed = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "PKG-INFO"}
    assert needed <= set(built.in_archive)
    assert "src/nerscope/render/assets/report.html" in built.in_archive


@pytest.mark.parametrize("unwanted", UNWANTED)
def test_nothing_unwanted_is_packed(built: Built, unwanted: str) -> None:
    assert not [name for name in [*built.in_wheel, *built.in_archive] if unwanted in name]


def test_they_are_small_enough_to_mail(built: Built) -> None:
    assert built.wheel.stat().st_size < 2_000_000
    assert built.archive.stat().st_size < 2_000_000


def test_the_metadata_are_those_of_the_project(built: Built) -> None:
    metadata = built.metadata
    assert (metadata["Name"], metadata["Version"]) == ("nerscope", VERSION)
    assert metadata["License-Expression"] == PROJECT["license"]
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert set(metadata.get_all("Classifier", [])) == set(PROJECT["classifiers"])
    assert str(metadata.get_payload()).strip() == (ROOT / "README.md").read_text("utf-8").strip()


def test_the_licences_are_packed(built: Built) -> None:
    licences_folder = f"nerscope-{VERSION}.dist-info/licenses/"
    for name in PROJECT["license-files"]:
        assert licences_folder + name in built.in_wheel
        assert built.read(f"licenses/{name}") == (ROOT / name).read_text("utf-8")


def test_the_command_leads_into_the_package(built: Built) -> None:
    assert "nerscope = nerscope.__main__:run" in built.read("entry_points.txt")


@pytest.fixture(scope="module")
def elsewhere(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel, made without a network."""
    home = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / PROGRAMS / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", "--no-index", "--no-deps", str(built.wheel)]
    subprocess.run(install, check=True, env=_bare(), capture_output=True)
    # Only now, or pip would take this environment's own nerscope for the one to replace.
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    place = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(place) / "borrowed.pth").write_text("\n".join(sorted(libraries)), encoding="utf-8")
    return home / PROGRAMS


def _bare() -> dict[str, str]:
    """The environment of a user, who knows nothing of this checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def output_of(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=_bare(), capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_the_installed_command_works(elsewhere: Path, tmp_path: Path) -> None:
    assert output_of(elsewhere / "nerscope", "--version", folder=tmp_path) == f"{VERSION}\n"


def test_what_runs_is_what_was_installed(elsewhere: Path, tmp_path: Path) -> None:
    code = "import nerscope; print(nerscope.__file__)"
    place = output_of(elsewhere / "python", "-c", code, folder=tmp_path).strip()
    assert Path(place).is_relative_to(elsewhere.parent)


@pytest.mark.slow
def test_the_installed_package_brings_its_demonstration(elsewhere: Path, tmp_path: Path) -> None:
    printed = output_of(elsewhere / "python", "-m", "nerscope", "demo", "there", folder=tmp_path)
    assert "Open there" in printed
    assert (tmp_path / "there" / "results.json").stat().st_size > 10_000
    assert "<html" in (tmp_path / "there" / "report.html").read_text(encoding="utf-8")[:2000]
