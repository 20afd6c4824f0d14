import { isUtf8 } from "node:buffer";
import { asBuffer, Message } from "@mqb/core/plugin";
import { compileFields, parseJson, writeJson } from "@mqb/json";
import type { Group } from "./groups.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Makes one message of a group: its payload is JSON in one line, with the metadata of the first member and a fresh id. */
export class Joiner {
  private readonly document = compileFields([]);

  /** An array of the payloads, in the order in which they came. */
  byCount({ members }: Group): Message {
    const values = members.map(({ message }) => this.jsonOf(message.payload));
    return new Message(list("[", values, "]"), members[0]!.message.metadata);
  }

  /** An object by branch, in alphabetical order; of a branch that came twice, the last message. */
  byBranch({ members }: Group, isWhole: boolean): Message {
    const last = new Map(members.map(({ branch, message }) => [branch, message]));
    const branches = [...last.keys()].sort();
    const fields = branches.map((branch) =>
      Buffer.concat([Buffer.from(`${JSON.stringify(branch)}:`), this.jsonOf(last.get(branch)!.payload)]),
    );
    const metadata = new Map(members[0]!.message.metadata)
      .set("join_branches", branches.join(","))
      .set("join_complete", String(isWhole));
    return new Message(list("{", fields, "}"), metadata);
  }

  /** JSON as it is, unless it has several lines; what is no JSON, or nested too deeply, as a JSON text. */
  private jsonOf(payload: Uint8Array): Uint8Array {
    if (isUtf8(payload) && this.document.find(payload, 0, payload.length)) {
      const hasLines = payload.includes(LINE_FEED) || payload.includes(CARRIAGE_RETURN);
      const value = hasLines ? inOneLine(payload) : payload;
      if (value) return value;
    }
    return Buffer.from(JSON.stringify(asBuffer(payload).toString("utf8")));
  }
}

function inOneLine(json: Uint8Array): Uint8Array | undefined {
  try {
    return writeJson(parseJson(json));
  } catch {
    return undefined;
  }
}

function list(open: string, items: readonly Uint8Array[], close: string): Buffer {
  const comma = Buffer.from(",");
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [comma, item]));
  return Buffer.concat([Buffer.from(open), ...parts, Buffer.from(close)]);
}
