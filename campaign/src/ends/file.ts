import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { SinkEnd, SourceEnd } from "../pairs/pair.ts";

export function fileSource(path: string): SourceEnd {
  writeFileSync(path, "");
  return {
    async append(rows) {
      appendFileSync(path, rows.map((row) => `${row}\n`).join(""));
    },
  };
}

export function fileSink(path: string): SinkEnd {
  return {
    async progress() {
      return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    },
    async arrivals() {
      const lines = readFileSync(path, "utf8").split("\n");
      // Only the last one is no line: a line break ends each.
      if (lines.at(-1) === "") lines.pop();
      return lines;
    },
  };
}

/** A file source that goes on where it has stopped. */
export function positionedInput(path: string): object {
  return { file: { path, format: "raw", mode: "group_subscribe", group_id: "campaign" } };
}
