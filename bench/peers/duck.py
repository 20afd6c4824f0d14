"""duck.py SQL: runs a statement in DuckDB, with as many threads as there are cores."""

import sys

import duckdb

if sys.argv[1:] == ["--version"]:
    print(duckdb.__version__)
    sys.exit()
(statement,) = sys.argv[1:]
duckdb.connect().execute(statement)
