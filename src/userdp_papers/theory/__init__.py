"""What is known of a mechanism from outside, in rooms: `audit`, `rates`, `exact` and `sampled`; and `enclosures`."""
