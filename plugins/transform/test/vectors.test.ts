import { cp, readdir, readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import expression from "@mqb/expression";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** Recorded runs of the original: a configuration, its input, and what it wrote as output and as dead letters. */
const vectors = new URL("./vectors/", import.meta.url);

/** What is different on purpose; `ours.*` in the folder is what mqb writes. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "065-num-transform-to-string": "a number becomes a text without loss: what a double cannot hold keeps its digits",
  "067-num-expression-identity": "numbers that an expression only passes on keep their digits, at any size",
  "069-num-expression-arith": "a quotient is rounded to the nearest double",
  "093-expr-meta-number-literal": "metadata compared with a number is read as one in every expression, as documented",
};

const names = (await readdir(vectors)).sort();
const registry = createRegistry([standard, file, expression, plugin]);

describe("recorded runs of the original", () => {
  it.each(names)("%s", async (name) => {
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };
    const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"]);
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed" });

    const files = await readdir(source);
    const kind = DIFFERENT[name] === undefined ? "expected." : "ours.";
    const wanted = files.filter((one) => one.startsWith(kind));
    expect(wanted.length).toBeGreaterThan(0);
    for (const one of wanted) {
      const [got, want] = await Promise.all([dir.read(one.slice(kind.length)), readFile(new URL(one, source), "utf8")]);
      expect(comparable(got), one).toEqual(comparable(want));
    }
  });
});

/** Lines; of those with metadata what counts, without what is new in each run. */
function comparable(text: string): unknown[] {
  return text.split("\n").map((line) => (line.startsWith('{"message_id":') ? letter(line) : line));
}

function letter(line: string): unknown {
  const { message_id: id, payload, metadata } = JSON.parse(line) as Letter;
  const { "mq_bridge.dlq.timestamp_ms": _time, "mq_bridge.dlq.route": _route, ...rest } = metadata ?? {};
  const said = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutWording(value)]));
  return { id: /^.{14}7/.test(id) ? "fresh" : id, payload, metadata: said };
}

interface Letter {
  readonly message_id: string;
  readonly payload: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Parsers and evaluators say it in their own words. */
function withoutWording(text: string): string {
  return text.replace(/(payload is not valid JSON|does not parse|\[expression\]): .*$/, "$1");
}
