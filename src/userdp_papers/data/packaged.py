"""Tables that are shipped: each is refused unless it is the one whose SHA-256 is recorded."""

import hashlib
import lzma
from pathlib import Path

FOLDER = Path(__file__).parent


def packaged(file: str, folder: Path = FOLDER) -> list[str]:
    """Return the lines of a packaged table, perhaps compressed, after the check of its sum."""
    packed = folder / f"{file}.xz"
    content = lzma.decompress(packed.read_bytes()) if packed.is_file() else (folder / file).read_bytes()
    found, expected = hashlib.sha256(content).hexdigest(), recorded(file, folder)
    if found != expected:
        raise ValueError(f"{file} must have SHA-256 {expected}, got {found}")
    return content.decode().splitlines()


def recorded(file: str, folder: Path = FOLDER) -> str | None:
    """Return the SHA-256 of a packaged table that is on record."""
    lines = (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in map(str.split, lines)}.get(file)
