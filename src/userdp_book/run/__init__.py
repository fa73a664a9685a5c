"""From page to notebook to outputs: pairing, execution, comparison, the labs."""
