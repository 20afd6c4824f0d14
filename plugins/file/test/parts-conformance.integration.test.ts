import { readdir, readFile } from "node:fs/promises";
import { Message } from "@mqb/core/plugin";
import { TempDir, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

/** Part files are read by name; the suite sends messages with positions, as a file source stamps them. */
testConnector(
  { describe: (title, body) => describe(`${title}, part files`, body), it },
  {
    plugin,
    endpoint: "file",
    config: { output: { path: "x", format: "raw", name_by: "source_position" } },
    fixture: {
      holds: { empty: false, bytes: false, oddCharacters: false, large: false, metadata: false, ids: false },
      message: (n) =>
        new Message(
          `message ${n}`,
          new Map([
            ["mqb.src.file_path", "in.txt"],
            ["mqb.src.file_record", `${n}`],
          ]),
        ),
      refused: () => new Message("no position"),
      async fresh() {
        const dir = await TempDir.make();
        const parts = dir.file("parts");
        return {
          output: { path: parts, format: "raw", name_by: "source_position" },
          async read() {
            const names = (await readdir(parts)).sort();
            const texts = await Promise.all(names.map((name) => readFile(`${parts}/${name}`, "utf8")));
            return texts
              .join("")
              .split("\n")
              .slice(0, -1)
              .map((text) => new Message(text));
          },
          cleanup: () => dir.remove(),
        };
      },
    },
  },
);
