"""From pages and outputs to HTML: rooms, each a Sphinx extension with a ``setup`` of its own."""

# What every room's `setup` returns: pages are read and written by several processes.
SAFE = {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
