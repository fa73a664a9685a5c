"""What is known of a mechanism from outside: `audit`, `rates`, `exact`, `sampled`; and `enclosures`."""
