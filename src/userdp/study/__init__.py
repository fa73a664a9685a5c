"""How the book works: claims with verdicts, sweeps over grids, the style of its figures."""

try:
    from userdp.study import claims, style, sweeps
    from userdp.study.claims import *
    from userdp.study.sweeps import *
except ModuleNotFoundError as missing:
    message = f"userdp.study needs {missing.name}, which no other part does: pip install 'userdp[study]'"
    raise ModuleNotFoundError(message, name=missing.name) from missing

__all__ = [*claims.__all__, *sweeps.__all__, "style"]
