"""Pages that run where they are read: in the reader's browser, by Pyodide."""

from pathlib import Path

# Where `tools/fetch_live.py` puts Pyodide; without it readers' browsers take it from its own address.
PYODIDE = Path("_build") / "live"
# What pages import; each brings what it needs itself.
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "mpmath", "seaborn", "joblib")
