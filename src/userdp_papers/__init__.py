"""What the four papers need beside `userdp`: populations, theory, real data, printed variants, verdicts."""
