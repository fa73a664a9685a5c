"""Finished cells of a sweep on disk, so that an interruption loses none of them."""

import hashlib
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np


class CellStore:
    """A folder with one file for each finished cell, named after all that determines its numbers.

    The code of the function is not part of the name: whoever changes it takes another folder.

    Parameters
    ----------
    folder : path
        Made if it is not there. Several sweeps may share it.
    function : callable
        The function of the sweep; it must have a module and a name.
    describe : callable
        From the parameters of a cell to text that is the same for the same cell.

    Raises
    ------
    ValueError
        If the function has no name, as one made by `functools.partial`, or is a lambda.
    """

    def __init__(self, folder, function, describe):
        name = getattr(function, "__qualname__", "<lambda>")
        if "<lambda>" in name:
            raise ValueError(f"function must have a name under which its cells are stored, got {function!r}")
        self.folder, self.name, self.describe = Path(folder), f"{function.__module__}.{name}", describe
        self.folder.mkdir(parents=True, exist_ok=True)

    def read(self, cell):
        """Return the result of a cell, or None if it is not there."""
        path, content = self._place(cell)
        if not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                stored, result = str(file["content"]), file["result"]
        except Exception as error:
            raise ValueError(f"store: {path} cannot be read, delete it to go on: {error}") from error
        if stored != content:
            raise ValueError(f"store: {path} belongs to another cell, {stored}")
        return result

    def write(self, cell, result):
        """Keep the result of a cell: whole or not at all, whenever the process ends."""
        path, content = self._place(cell)
        with NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
            np.savez(file, content=content, result=result)
        os.replace(file.name, path)

    def _place(self, cell):
        content = f"{self.name} {self.describe(cell)}"
        return self.folder / f"{hashlib.sha256(content.encode()).hexdigest()[:32]}.npz", content
