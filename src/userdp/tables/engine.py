"""Tables that stay where they are, on disk or in a query, read by DuckDB; errors quote no value of theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from typing import Any

TEXT: Any = dict(sep=",", quotechar='"', escapechar='"', skiprows=0, header=True, all_varchar=True)
TEXT |= {"buffer_size": 4_000_000}  # bytes a thread, an eighth of what is usual; a line may have half of it


def is_elsewhere(records: Any) -> bool:
    """Whether a table is a path or a relation of DuckDB, so that it has no columns in memory."""
    return isinstance(records, (str, PathLike)) or type(records).__name__ == "DuckDBPyRelation"


def is_csv(records: Any) -> bool:
    """Whether a table is the path of a CSV file, in which all is text."""
    return isinstance(records, (str, PathLike)) and fspath(records).lower().endswith((".csv", ".csv.gz"))


@contextmanager
def opened(records: Any, *columns: str) -> Iterator[Any]:
    """A relation with these columns: of CSV or Parquet files, or as it was given."""
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a table on disk needs DuckDB: pip install 'userdp[tables]'") from error
    with duckdb.connect() as engine:
        engine.execute("set enable_progress_bar = false; set preserve_insertion_order = false")
        try:
            table = records
            if isinstance(records, (str, PathLike)):
                read = partial(engine.read_csv, **TEXT) if is_csv(records) else engine.read_parquet
                table = read(fspath(records))
            holds(table, *columns)
            yield table
        except duckdb.IOException:
            raise FileNotFoundError(f"records must be a file that can be read, got {records}") from None
        except duckdb.Error as error:  # its text may quote a line of the file
            raise ValueError(f"records must be a well-formed table, got {type(error).__name__}") from None


def holds(table: Any, *columns: str) -> None:
    """Raise ``ValueError`` naming a column that a table lacks."""
    if gone := [name for name in columns if name not in table.columns]:
        raise ValueError(f"records must have a column {gone[0]!r}, got the columns {[*table.columns]}")


def named(column: str) -> str:
    """A column in a query."""
    return '"' + column.replace('"', '""') + '"'


def absent(column: str) -> str:
    """The condition that a label is none."""
    number = f"typeof({column}) in ('DOUBLE', 'FLOAT') and {column}::varchar = 'nan'"
    return f"coalesce({column}::varchar, '') = '' or {number}"
