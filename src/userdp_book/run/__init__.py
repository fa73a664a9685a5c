"""From page to notebook to outputs: pairing, execution, comparison."""

import os

# Whatever the project runs or tests stops at a verdict that fails; a reader who changes a page is told of it.
os.environ["USERDP_STRICT"] = "1"
