"""From pages and outputs to HTML: the Sphinx extension and what it shows."""
