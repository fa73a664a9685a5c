"""What the four papers need next to `userdp`: populations, theory, real data, printed variants, verdicts."""
