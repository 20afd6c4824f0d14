import { randomBytes } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Message } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { Workbench } from "./support.ts";

const CODECS = ["gzip", "zstd", "lz4"] as const;

/** Appends a batch of each payload with a run of its own, to a file that is cut or changed before. */
async function warnings(compression: (typeof CODECS)[number], between: (path: string, batch: number) => void) {
  await using bench = await Workbench.make();
  const path = bench.dir.file("out");
  const said: string[] = [];
  for (const [batch, payload] of ["first", randomBytes(3000).toString("hex"), "third"].entries()) {
    if (batch > 0) between(path, batch);
    const context = bench.context();
    const sink = await bench.sink({ path: "out", format: "raw", compression }, context);
    await sink.send(new Message(payload));
    await sink.close();
    said.push(...context.log.at("warn"));
  }
  return said;
}

it.each(CODECS)("a file in %s that others have cut short is warned of when it is appended to", async (codec) => {
  for (const bytes of [1, 5, 1500]) {
    const cut = (path: string, batch: number): void => {
      if (batch === 2) truncateSync(path, readFileSync(path).length - bytes);
    };
    expect(await warnings(codec, cut), `${bytes} bytes cut off`).toEqual([
      expect.stringMatching(new RegExp(`^out was cut off within ${codec} data: what is appended cannot be read`)),
    ]);
  }
});

it.each(CODECS)("a whole file in %s is not", async (codec) => {
  expect(await warnings(codec, () => {})).toEqual([]);
});

it("what only looks like the start of a member, within the last one, does not count", async () => {
  const content = Buffer.from("1f8b08000000000000031f8b08000000000000030a", "hex");
  const replaced = (path: string): void => writeFileSync(path, gzipSync(content, { level: 0 }));
  expect(await warnings("gzip", replaced)).toEqual([]);
});
