"""Tables of ibis, in a warehouse or on a cluster: they are averaged and counted where they live."""

from typing import Any

from numpy.typing import NDArray

from userdp.tables.engine import holds


def is_there(records: Any) -> bool:
    """Whether a table is one of ibis."""
    return type(records).__module__.startswith("ibis.")


def averages(records: Any, user: str, value: str, low: float, high: float) -> dict[str, NDArray]:
    """One row per user, whose label stays there: mean of clipped values, how many they are, rows."""
    holds(records, user, value)
    who, x = records[user], records[value]
    if not x.type().is_numeric():
        raise TypeError(f"{value} must be a column of numbers, got {x.type()}")
    absent = who.isnull() | _is_nan(who) | (who.cast("string") == "")
    rows = records.select(who=who, x=(~_is_nan(x)).ifelse(x.cast("float64"), None), absent=absent)
    mean, counts = rows.x.clip(low, high).mean(), {"size": rows.x.count(), "records": rows.count()}
    by_user = rows.group_by("who").aggregate(mean=mean, **counts, absent=rows.absent.any())
    return _fetched(by_user.drop("who"))


def counts(records: Any, user: str, item: str, items: list[str]) -> tuple[dict[str, NDArray], NDArray]:
    """One row per user and item, of which none is all that are not among the items; and how many they are."""
    holds(records, user, item)
    text = records[item].cast("string")
    rows = records.select(user=records[user], item=text.isin(items).ifelse(text, None))
    found = _fetched(rows.group_by("user", "item").aggregate(records=rows.count()))
    return {user: found["user"], item: found["item"]}, found["records"]


def _is_nan(column: Any) -> Any:
    """The condition that a number is none, where the engine has such numbers."""
    import ibis

    known = column.type().is_floating() and column.get_backend().has_operation(ibis.expr.operations.IsNan)
    return column.isnan() if known else ibis.literal(False)


def _fetched(rows: Any) -> dict[str, NDArray]:
    """The answer of the engine, which sends rows in any order, and whose complaints may quote a value."""
    try:
        found = rows.execute().sort_values(list(rows.columns))
    except Exception as error:
        raise ValueError(f"records must be a table that answers, got {type(error).__name__}") from None
    return {name: found[name].to_numpy() for name in found}
