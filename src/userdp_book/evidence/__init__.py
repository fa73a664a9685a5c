"""What the pages on evidence show: planted slips, and the same work by other packages."""
