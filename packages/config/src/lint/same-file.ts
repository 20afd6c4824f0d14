import { resolve } from "node:path";
import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { type EndpointPart, leavesOf, type Subject, settingOf } from "./subject.ts";

/** A route that appends to the file that it reads never comes to its end. `x-mqb-file` marks the fields that name files. */
export function sameFile({ endpoints }: Subject): Problem[] {
  const sources = endpoints.filter((one) => one.side === "input").flatMap(filesOf);
  const targets = endpoints.filter((one) => one.side === "output").flatMap(filesOf);
  return targets.flatMap(({ part, field, file }) => {
    const source = sources.find((one) => one.file === file);
    if (!source) return [];
    const message = `"${part.name}" writes ${shown(part, field)}, the file that this route reads: it would never come to the end of it`;
    return [problem("error", "MQB_LINT_SAME_FILE", [...part.path, field], message, "write to another file")];
  });
}

interface NamedFile {
  readonly part: EndpointPart;
  readonly field: string;
  readonly file: string;
}

function filesOf(part: EndpointPart): NamedFile[] {
  return fieldsWith(part, "file").flatMap((field) => {
    const path = settingOf(part, field);
    // `-` and devices are streams: what goes in does not come out again.
    if (typeof path !== "string" || path === "-" || path.startsWith("/dev/")) return [];
    return [{ part, field, file: resolve(path) }];
  });
}

function shown(part: EndpointPart, field: string): string {
  const written = leavesOf(part).find(({ path }) => path[0] === field)?.value;
  return String(written ?? settingOf(part, field));
}

function fieldsWith({ field }: EndpointPart, mark: string): string[] {
  const members = field.options.flatMap((option) => Object.entries(option.properties ?? {}));
  return members.filter(([, schema]) => schema[`x-mqb-${mark}`] !== undefined).map(([name]) => name);
}
