import { type BigIntStats, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { type EndpointPart, fieldsMarked, leavesOf, type Subject, settingOf } from "./subject.ts";

/**
 * A route that appends to the file that it reads never comes to its end, by whatever name it has it: a link, a redirected
 * standard stream. `x-mqb-file` marks the fields that name files.
 */
export function sameFile({ endpoints }: Subject): Problem[] {
  const sources = endpoints.filter((one) => one.side === "input").flatMap(filesOf);
  const targets = endpoints.filter((one) => one.side === "output").flatMap(filesOf);
  return targets.flatMap(({ part, field, file }) => {
    const source = sources.find((one) => one.file === file);
    if (!source) return [];
    const message = `"${part.name}" writes ${shown(part, field)}, which this route also reads, so the route would never finish`;
    return [problem("error", "MQB_LINT_SAME_FILE", [...part.path, field], message, "write to another file")];
  });
}

interface NamedFile {
  readonly part: EndpointPart;
  readonly field: string;
  readonly file: string;
}

function filesOf(part: EndpointPart): NamedFile[] {
  return fieldsMarked(part, "file").flatMap((field) => {
    const path = settingOf(part, field);
    const file = typeof path === "string" ? identityOf(path === "-" ? STREAMS[part.side] : path) : undefined;
    return file === undefined ? [] : [{ part, field, file }];
  });
}

const STREAMS = { input: "/dev/stdin", output: "/dev/stdout" };

/** Device and inode, or the path of what is not there yet. Pipes and devices have none: what goes in does not come out again. */
function identityOf(path: string): string | undefined {
  let found: BigIntStats | undefined;
  try {
    found = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // What cannot be looked at is told apart by its name.
  }
  if (found) return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  return path.startsWith("/dev/") ? undefined : resolve(path);
}

function shown(part: EndpointPart, field: string): string {
  const written = leavesOf(part).find(({ path }) => path[0] === field)?.value;
  return String(written ?? settingOf(part, field));
}
