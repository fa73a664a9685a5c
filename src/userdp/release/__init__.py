"""What a release in earnest needs beside an estimator: an account of what is spent."""

from userdp.release.budget import Budget

__all__ = ["Budget"]
