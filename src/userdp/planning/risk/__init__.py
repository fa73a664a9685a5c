"""Risks known before any data are touched: exact, or bounds with every constant."""
