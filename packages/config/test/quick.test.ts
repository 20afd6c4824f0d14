import { pick, randomFrom } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { nodesOf } from "../src/document/full.ts";
import type { TextNode } from "../src/document/nodes.ts";
import { readQuickly } from "../src/document/quick.ts";
import { readExamples } from "./examples/example.ts";
import { mutate } from "./fuzz/mutate.ts";

function readFully(text: string): TextNode | undefined {
  const document = parseDocument(text, { merge: true, prettyErrors: false, logLevel: "error", uniqueKeys: false });
  expect([...document.errors, ...document.warnings], text).toEqual([]);
  return nodesOf(document);
}

/** Where a collection ends is asked for only when it is empty. */
function comparable(node: TextNode | undefined): unknown {
  if (!node) return undefined;
  if (node.kind === "map") {
    const { pairs, end, ...rest } = node;
    const both = pairs.map(({ key, value }) => [comparable(key), comparable(value)]);
    return { ...rest, pairs: both, ...(pairs.length === 0 ? { end } : {}) };
  }
  if (node.kind === "list") {
    const { items, end, ...rest } = node;
    return { ...rest, items: items.map(comparable), ...(items.length === 0 ? { end } : {}) };
  }
  // Behind the colon, or behind the blanks that follow it: nobody is shown what is not there.
  if (node.kind === "scalar" && node.text === "" && node.isPlain) return { ...node, start: 0, end: 0 };
  return node;
}

/** The machine may be busy; the comparison takes a second. */
const PATIENCE_MS = 60_000;
const documents = readExamples().map(({ body }) => body);

describe("the quick reader", () => {
  it(
    "gives the nodes that the full one gives",
    () => {
      let read = 0;
      const random = randomFrom(20_261_130);
      for (let index = 0; index < 1500; index++) {
        const lines = index < documents.length ? documents[index]! : mutate(pick(random, documents), documents, random);
        const text = random() < 0.1 ? lines.replace(/\r?\n/g, "\r\n") : lines;
        const quick = readQuickly(text);
        if (!quick) continue;
        read += 1;
        expect(comparable(quick), text).toEqual(comparable(readFully(text)));
      }
      expect(read).toBeGreaterThan(300);
    },
    PATIENCE_MS,
  );
});
