"""A file of JSON that one process at a time changes, whole or not at all."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import fcntl
except ModuleNotFoundError:  # Windows, browsers: only one process may use the file there
    fcntl = None  # type: ignore[assignment]


@contextmanager
def changing(path: str | None, new: Any) -> Iterator[Any]:
    """What a file says, or `new` where there is none; it is written when the block ends without an error."""
    if path is None:
        yield new
        return
    with open(f"{path}.lock", "w") as lock:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            said = json.loads(Path(path).read_text(encoding="utf8")) if Path(path).exists() else new
        except ValueError:
            raise ValueError(f"path must be of an account, got a file that is not JSON: {path}") from None
        yield said
        with open(f"{path}.part", "w", encoding="utf8") as part:
            part.write(json.dumps(said, indent=1))
            part.flush()
            os.fsync(part.fileno())
        Path(part.name).replace(path)
