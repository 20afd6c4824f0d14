import { asBuffer, Message } from "@mqb/core/plugin";
import { parseJson, writeJson } from "@mqb/json";
import type { Group } from "./groups.ts";

/** The message that a group becomes: a JSON array of the payloads in the order in which they came, with a fresh id. */
export function joinByCount({ members }: Group): Message {
  return new Message(
    list(
      "[",
      members.map(({ message }) => jsonOf(message.payload)),
      "]",
    ),
    members[0]!.message.metadata,
  );
}

/** A JSON object by branch, in alphabetical order; of a branch that came twice, the last message. */
export function joinByBranch({ members }: Group, isWhole: boolean): Message {
  const last = new Map(members.map(({ branch, message }) => [branch, message]));
  const branches = [...last.keys()].sort();
  const fields = branches.map((branch) => {
    const value = jsonOf(last.get(branch)!.payload);
    return Buffer.concat([Buffer.from(`${JSON.stringify(branch)}:`), value]);
  });
  const metadata = new Map(members[0]!.message.metadata)
    .set("join_branches", branches.join(","))
    .set("join_complete", String(isWhole));
  return new Message(list("{", fields, "}"), metadata);
}

/** A payload as JSON in one line, every digit kept; what is no JSON as a JSON text. */
function jsonOf(payload: Uint8Array): Uint8Array {
  try {
    return writeJson(parseJson(payload));
  } catch {
    return Buffer.from(JSON.stringify(asBuffer(payload).toString("utf8")));
  }
}

function list(open: string, items: readonly Uint8Array[], close: string): Buffer {
  const comma = Buffer.from(",");
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [comma, item]));
  return Buffer.concat([Buffer.from(open), ...parts, Buffer.from(close)]);
}
