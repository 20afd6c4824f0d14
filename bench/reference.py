"""reference.py FORM FILE: what an independent reader finds in a file.

FORM is csv, jsonl (one object of strings a line) or normal (one envelope a line whose payload is such an object); a
name that ends in .gz is unpacked. Prints one JSON object: how many rows there are, and the SHA-256 of the rows written
as compact JSON lines. That hash is the same for the same rows in whichever form they come, and it is the plain SHA-256
of the file that a byte-exact conversion to JSON lines writes. Python's own csv and json read; nothing of mqb takes part.
"""

import csv
import gzip
import hashlib
import json
import sys


def read_rows(form, path):
    opener = gzip.open if path.endswith(".gz") else open
    # newline="\n": a line break inside a value stays what it is, and only \n ends a line.
    with opener(path, "rt", encoding="utf-8", newline="\n") as lines:
        if form == "csv":
            records = csv.reader(lines, strict=True)
            columns = next(records)
            for record in records:
                yield dict(zip(columns, record, strict=True))
        elif form == "jsonl":
            yield from map(json.loads, lines)
        elif form == "normal":
            yield from (json.loads(json.loads(line)["payload"]) for line in lines)
        else:
            sys.exit(__doc__)


def main(form, path):
    rows, content = 0, hashlib.sha256()
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for row in read_rows(form, path):
        if not all(isinstance(value, str) for value in row.values()):
            sys.exit(f"row {rows + 1}: a value is not a string: {row}")
        rows += 1
        content.update(f"{encode(row)}\n".encode())
    print(json.dumps({"rows": rows, "content": content.hexdigest()}))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
