import { createHash } from "node:crypto";
import { asBuffer, type MessageBatch } from "@mqb/core/plugin";
import { Origin } from "../key/hash.ts";
import { KeyReader } from "../key/reader.ts";
import type { Env, KeyText as WrittenKey } from "../key/template.ts";

/** Of the column that the original keeps keys in. */
const LONGEST = 255;

/** Reads keys as the texts under which the original keeps them in a database: the bytes of the key in hex. */
export class KeyTexts {
  /** How many of the last batch go by their id, for they lack a value. */
  keyless = 0;
  private readonly reader: KeyReader;
  private last = "";

  constructor(key: WrittenKey | undefined, env: Env) {
    const hash = (bytes: Uint8Array, start: number, end: number, origin: number): void => {
      this.last = textOf(asBuffer(bytes).subarray(start, end), origin);
    };
    this.reader = new KeyReader(key, { hash }, env);
  }

  of(batch: MessageBatch): string[] {
    this.keyless = 0;
    this.reader.begin(batch);
    return Array.from({ length: batch.length }, (_, at) => {
      if (!this.reader.read(at)) this.keyless++;
      return this.last;
    });
  }
}

function textOf(bytes: Buffer, origin: number): string {
  if (origin === Origin.id) return bytes.toString("latin1").replaceAll("-", "");
  // Neither is hex, so that neither can be the key of another kind.
  if (origin === Origin.list) return `list:${hashOf(bytes)}`;
  return 2 * bytes.length <= LONGEST ? bytes.toString("hex") : `long:${hashOf(bytes)}`;
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
