"""The book's machinery: pages and their notebook twins, the cache of executions, the Sphinx extension.

Nothing here is needed to use :mod:`userdp`; it is what turns ``book/`` into ``notebooks/`` and HTML.
"""
