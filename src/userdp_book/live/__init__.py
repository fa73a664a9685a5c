"""Pages that run where they are read: in the reader's browser, by Pyodide."""
