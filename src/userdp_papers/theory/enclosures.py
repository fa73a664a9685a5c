"""Interval arithmetic in which an interval contains the true value for certain; certified claims use it.

`iv` has the interface of ``mpmath.iv``, of which sums, products and quotients are rounded outwards and
functions are not always: its exponential can exclude the true value (issue 1181 of mpmath). Here the
functions are those of Arb (python-flint) where it is installed. Where it is not, as in a page that runs in a
browser, the intervals are widened far beyond any such error.
"""

from collections.abc import Callable
from typing import Any

from mpmath import libmp
from mpmath.ctx_iv import MPIntervalContext

try:
    import flint
except ImportError:  # in the browser
    flint = None  # type: ignore[assignment]

__all__ = ["Enclosing", "iv"]

# Relative, as a power of two: thousands of times what mpmath's functions can be off at its 53 bits.
SLACK = 40
GUARD = 64  # bits that Arb computes with beyond those that are kept
FUNCTIONS = ("exp", "log", "sqrt")
CONSTANTS = ("pi", "e")


class Enclosing(MPIntervalContext):
    """Interval arithmetic whose functions contain the true value.

    Parameters
    ----------
    exact
        Whether Arb computes the functions; otherwise mpmath's own results are widened by a factor of
        ``1 + 2**-40``.
    """

    def __init__(self, exact: bool = flint is not None) -> None:
        super().__init__()
        self.exact = exact
        for name in FUNCTIONS:
            setattr(self, name, self._enclosing(name, getattr(self, name)))
        constants = {name: self._constant_of(name) for name in CONSTANTS}
        self.__dict__.update(constants)
        # a power of mpmath's beyond the square is rounded to nearest
        power = self.mpf.__pow__
        self.mpf.__pow__ = lambda x, n: power(x, n) if n in (1, 2) else self.widened(power(x, n))

    def widened(self, x: Any) -> Any:
        """The same interval with its ends moved outwards, each by 2**-40 of itself."""
        return x * self.mpf([1 - 2.0**-SLACK, 1 + 2.0**-SLACK])

    def _enclosing(self, name: str, rough: Callable) -> Callable:
        """The function from an interval to one that encloses its values; all of ours increase."""

        def function(x: Any) -> Any:
            low, high = self.convert(x)._mpi_
            if not self.exact:
                return self.widened(rough(x))
            return self.make_mpf((self._by_arb(name, low)[0], self._by_arb(name, high)[1]))

        return function

    def _by_arb(self, name: str, end: tuple) -> tuple:
        """The two ends of Arb's ball around the value at a point."""
        sign, man, exponent, _ = end
        with flint.ctx.workprec(self.prec + GUARD):
            point = flint.arb((-1) ** sign * int(man)) * flint.arb(2) ** exponent
            return self._ends(getattr(point, name)())

    def _ends(self, ball: Any) -> tuple:
        """The ends of a ball, rounded outwards to the bits that are kept."""
        ends = (ball.lower(), libmp.round_floor), (ball.upper(), libmp.round_ceiling)
        return tuple(
            libmp.from_man_exp(*map(int, end.mid().man_exp()), self.prec, away) for end, away in ends
        )

    def _constant_of(self, name: str) -> Any:
        if not self.exact:
            return self.widened(+getattr(self, name))
        with flint.ctx.workprec(5 * GUARD):
            return self.make_mpf(self._ends(flint.arb.pi() if name == "pi" else flint.arb.const_e()))


iv = Enclosing()
