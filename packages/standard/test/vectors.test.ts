import { cp, readdir, readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import type { Plugin } from "@mqb/core/plugin";
import { TempDir, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import standard from "../src/index.ts";

/** Recorded runs of the original: a configuration, its input, and what it wrote. */
const vectors = new URL("./vectors/", import.meta.url);

/** What is different on purpose; `ours.*` in the folder is what mqb writes. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "133-weak-join-branch-fire":
    "the documents let a group that is not whole fire; the original loses it at the end of a drain",
  "134-weak-join-branch": "numbers of joined payloads keep their digits",
  "231-err-fault-injection-disabled": "the documents let the route start without the faults; the original refuses it",
};

// The file endpoint depends on this package, so this package cannot name it.
const { default: file } = (await import(new URL("../../../plugins/file/src/index.ts", import.meta.url).href)) as {
  default: Plugin;
};
const registry = createRegistry([standard, file]);
const names = (await readdir(vectors)).sort();

describe("recorded runs of the original", () => {
  it("every difference is one of a run that is here", () => {
    expect(Object.keys(DIFFERENT).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(names)("%s", { timeout: 20_000 }, async (name) => {
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };
    const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"]);
    await route.start();
    expect(await within(route.done, "the route ends")).toMatchObject({ outcome: "completed", drops: [] });

    const files = await readdir(source);
    const isDifferent = DIFFERENT[name] !== undefined;
    const wanted = files.filter((one) => one.startsWith(isDifferent ? "ours." : "expected."));
    expect(wanted.length).toBeGreaterThan(0);
    for (const one of wanted) {
      const output = one.slice(one.indexOf(".") + 1);
      const [got, want] = await Promise.all([dir.read(output), readFile(new URL(one, source), "utf8")]);
      expect(comparable(got), output).toEqual(comparable(want));
      const theirs = `expected.${output}`;
      if (!isDifferent || !files.includes(theirs)) continue;
      // A difference that is none any more must not be listed as one.
      expect(comparable(got), output).not.toEqual(comparable(await readFile(new URL(theirs, source), "utf8")));
    }
  });
});

/** Lines, without what is new in each run: fresh ids, times, and the name that the original gives a route. */
function comparable(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      if (!line.startsWith('{"message_id":')) return line;
      const { message_id: id, payload, metadata = {} } = JSON.parse(line) as Envelope;
      const { "mq_bridge.dlq.timestamp_ms": _time, "mq_bridge.dlq.route": _route, ...rest } = metadata;
      return { id: /^.{14}7|UUID7/.test(id) ? "fresh" : id, payload, metadata: rest };
    });
}

interface Envelope {
  readonly message_id: string;
  readonly payload: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}
