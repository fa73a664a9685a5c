"""How the book works: claims with verdicts, sweeps over grids, the style of its figures."""

try:
    from userdp_papers.study import claims, style, sweeps
    from userdp_papers.study.claims import *
    from userdp_papers.study.sweeps import *
except ModuleNotFoundError as missing:
    extra = "pip install 'userdp-companion[study]'"
    message = f"userdp_papers.study needs {missing.name}, which no other part does: {extra}"
    raise ModuleNotFoundError(message, name=missing.name) from missing

__all__ = [*claims.__all__, *sweeps.__all__, "style"]
