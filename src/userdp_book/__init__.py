"""The book's machinery: pages and their notebook twins, the cache of executions, the Sphinx extension.

Nothing here is needed to use :mod:`userdp`; it is what turns ``book/`` into ``notebooks/`` and HTML.
"""

import sys

# A checker of international addresses, whose grammar takes seconds to build; nbformat would import it through
# jsonschema, which does without where it is missing, and no notebook has such an address.
sys.modules.setdefault("rfc3987_syntax", None)
