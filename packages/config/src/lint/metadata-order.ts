import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { type EndpointPart, factOf, leavesOf, type Part, type Subject } from "./subject.ts";

/** A middleware that reads metadata which another of the list sets, but handles the message before that one. */
export function metadataOrder({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((endpoint) =>
    endpoint.middlewares.flatMap((setter, at) =>
      (factOf<readonly string[]>(setter, "sets") ?? []).flatMap((key) => tooEarly(key, setter, at, endpoint)),
    ),
  );
}

function tooEarly(key: string, setter: Part, at: number, { middlewares }: EndpointPart): Problem[] {
  return middlewares.slice(at + 1).flatMap((reader) =>
    leavesOf(reader)
      .filter(({ value }) => typeof value === "string" && readsKey(value, key))
      .map(({ path }) => {
        const message = `"${reader.name}" reads the metadata ${key} before "${setter.name}" sets it`;
        const hint = `a list is read from the bottom up: write "${setter.name}" below "${reader.name}"`;
        return problem("warning", "MQB_LINT_UNSET", [...reader.path, ...path], message, hint);
      }),
  );
}

function readsKey(text: string, key: string): boolean {
  return text.includes(`\${metadata:${key}}`) || text.includes(`\${metadata:${key} `);
}
