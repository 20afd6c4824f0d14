import { describe, expect, it, vi } from "vitest";
import { checkConfiguration, type DocumentProblem, loadConfiguration, renderProblem } from "../../src/index.ts";
import { registryWithStubs } from "../stubs/registry.ts";
import { isHere, workspacePlugins } from "../stubs/workspace.ts";
import { documentsOf, readExamples } from "./example.ts";

/** What the message about a refused example must say, beside the place. */
const SAYS: Readonly<Record<string, readonly RegExp[]>> = {
  "reference-02f-wrong-side-retry-on-input.yaml": [/retry/, /output only/],
  "reference-02g-wrong-side-dlq-on-input.yaml": [/dlq/, /output only/],
  "reference-02h-wrong-side-deduplication-on-output.yaml": [/deduplication/, /input only/],
  "reference-02i-wrong-side-weak-join-on-output.yaml": [/weak_join/, /input only/],
  "reference-02j-wrong-side-id-on-output.yaml": [/"id"/, /input only/],
  "reference-02k-wrong-side-pack-on-input.yaml": [/pack/, /output only/],
  "reference-02l-wrong-side-unpack-on-output.yaml": [/unpack/, /input only/],
  "reference-26b-wrong-side-timeout-on-input.yaml": [/timeout/, /output only/],
  "reference-13e-filter-indexed-path.yaml": [/items\[0\]\.qty/],
  "reference-49b-lookup-empty-into.yaml": [/lookup\.into/, /empty/],
  "reference-72d-request-to-never-replies.yaml": [/request\.to/, /kafka/, /never replies/],
  "reference-81d-null-with-map.yaml": [/null/, /output: null/],
  "configuration-09c-dir-spool-digit-after-seq.yaml": [/naming_pattern/, /not a digit/],
  "configuration-09d-dir-spool-timestamp-first.yaml": [/naming_pattern/, /must start with/],
  "configuration-09f-dir-spool-control-file-like-a-shard.yaml": [/done_file/, /000/],
  "delivery-12d-name-by-without-position.yaml": [/name_by: source_position/, /nats/, /replayable position/],
};

/** Refused by a check of what the workspace does not have yet. */
const NEEDS: Readonly<Record<string, string>> = {
  "configuration-09c-dir-spool-digit-after-seq.yaml": "@mqb/dir-spool",
  "configuration-09d-dir-spool-timestamp-first.yaml": "@mqb/dir-spool",
  "configuration-09f-dir-spool-control-file-like-a-shard.yaml": "@mqb/dir-spool",
};

/** Accepted by what the workspace does not have yet; until then the check says this. */
const LATER: Readonly<Record<string, string>> = {
  "delivery-10-deduplication-shared-store.yaml": "that takes @mqb/mongodb",
  "reference-17-deduplication-mongodb.yaml": "that takes @mqb/mongodb",
};

/** Endpoints that some examples refer to by name. */
const PUBLISHERS = `
publishers:
  common_queue: {memory: {topic: shared_memory_topic, capacity: 100}}
  enrich_new_order: {memory: {topic: new_orders}}
  handle_duplicate: {memory: {topic: duplicates}}
`;
const KEY = Buffer.alloc(32, 7).toString("base64");
const ENVIRONMENT = { MQB_KEY: KEY, MQB_ENC_KEY: KEY, HOSTNAME_LABEL: "here" };
const DEFAULTS = { concurrency: 1, batch_size: 1024 };

const registry = await registryWithStubs();
const plugins = workspacePlugins();
const examples = readExamples();

function errorsOf(text: string): readonly DocumentProblem[] {
  const source = { name: "mqb.yaml", text: text + PUBLISHERS, format: "yaml" } as const;
  const checked = checkConfiguration(loadConfiguration([source], ENVIRONMENT), registry, DEFAULTS);
  return checked.problems.filter((problem) => problem.level === "error");
}

describe("the examples of the documentation", () => {
  it("are all here, and those that are refused say why", () => {
    expect(examples.length).toBe(155);
    expect(examples.filter((one) => one.refused !== undefined).map((one) => one.file)).toEqual(
      Object.keys(SAYS).sort(),
    );
  });

  const accepted = examples.filter((one) => one.refused === undefined && !(one.file in LATER));
  it.each(accepted)("$file is accepted", (example) => {
    for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
    for (const document of documentsOf(example))
      expect(errorsOf(document).map((one) => renderProblem(one))).toEqual([]);
  });

  const refused = examples.filter((one) => one.refused !== undefined && !(one.file in NEEDS));
  it.each(refused)("$file is refused: $refused", (example) => {
    for (const document of documentsOf(example)) {
      const lines = errorsOf(document).map((one) => renderProblem(one));
      expect(lines).toEqual([expect.any(String)]);
      for (const words of SAYS[example.file]!) expect(lines[0]).toMatch(words);
    }
  });

  it.each(Object.entries(LATER))(
    "%s is refused, because it %s: take it off the list when it is accepted",
    (file, says) => {
      const example = examples.find((one) => one.file === file)!;
      const lines = documentsOf(example)
        .flatMap(errorsOf)
        .map((one) => renderProblem(one));
      expect(lines).not.toEqual([]);
      for (const line of lines) expect(line).toContain(says);
    },
  );

  it.each(Object.entries(NEEDS))("%s waits for %s: take it off the list when that is here", (_, needs) => {
    expect(isHere(needs, plugins)).toBe(false);
  });
});
