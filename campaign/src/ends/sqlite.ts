import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { promisify } from "node:util";
import type { SinkEnd, SourceEnd } from "../pairs/pair.ts";

/** With Python's own client, whatever the program under test uses. */
const PROGRAM = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=60)
what = sys.argv[2]
if what == "make":
    db.execute("CREATE TABLE rows (n INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL)")
elif what == "fill":
    rows = [json.loads(line) for line in sys.stdin.read().split("\\n") if line]
    db.executemany("INSERT INTO rows VALUES (:n, :key, :text)", rows)
else:
    for n, key, text in db.execute("SELECT n, key, text FROM rows ORDER BY rowid"):
        print('{"n":%d,"key":"%s","text":"%s"}' % (n, key, text))
db.commit()
`;

async function python(path: string, what: string, input = ""): Promise<string> {
  const running = promisify(execFile)("python3", ["-c", PROGRAM, path, what], { maxBuffer: 2 ** 30 });
  running.child.stdin!.end(input);
  return (await running).stdout;
}

/** A database file with a column for each field of a row. */
export async function sqliteRecords(path: string): Promise<{ readonly source: SourceEnd; readonly sink: SinkEnd }> {
  await python(path, "make");
  return {
    source: { append: async (rows) => void (await python(path, "fill", rows.join("\n"))) },
    sink: {
      // Each transaction is a write of the file.
      async progress() {
        return statSync(path).mtimeMs;
      },
      async arrivals() {
        const lines = (await python(path, "read")).split("\n");
        lines.pop();
        return lines;
      },
    },
  };
}
