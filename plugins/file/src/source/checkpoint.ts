import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Checkpoint, CheckpointContext } from "@mqb/core/plugin";
import { type FileConfig, modeOf } from "../config.ts";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";

const DIGITS = 20;

/** The position of a group, in `<path>.<group>.offset`. Other modes keep none. */
export function groupCheckpoint(config: FileConfig, { baseDir }: CheckpointContext): Checkpoint | undefined {
  if (modeOf(config) !== "group_subscribe") return undefined;
  const path = resolve(baseDir, config.path);
  const position = `${path}.${config.group_id}.offset`;
  return {
    source: `file:${config.path}:${config.group_id}`,
    async read() {
      const text = await textOf(position);
      if (text === undefined) return undefined;
      if (!/^\s*\d{1,20}\s*$/.test(text)) {
        throw fileErrors.POSITION_UNREADABLE({ path: position, reason: "it holds no offset" });
      }
      return { value: `int:${BigInt(text.trim())}`, updatedAt: Math.floor((await stat(position)).mtimeMs) };
    },
    async write(value) {
      const [, digits] = /^(?:int:)?(\d{1,20})$/.exec(value) ?? [];
      if (digits === undefined)
        throw fileErrors.POSITION_VALUE({ value, reason: "it is a number of bytes, e.g. int:0" });
      const size = (await statOf(path))?.size;
      if (size !== undefined && BigInt(digits) > BigInt(size)) {
        throw fileErrors.POSITION_VALUE({ value, reason: `the file has ${size} bytes` });
      }
      // Without it the offset counts in whichever file is there now.
      await rm(`${position}.id`, { force: true });
      await writeFile(position, BigInt(digits).toString().padStart(DIGITS, "0"));
    },
    async clear() {
      await rm(position, { force: true });
      await rm(`${position}.id`, { force: true });
    },
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (codeOfSystem(cause) === "ENOENT") return undefined;
    throw fileErrors.POSITION_UNREADABLE({ path, reason: reasonOf(cause) }, { cause });
  }
}

async function statOf(path: string): Promise<{ readonly size: number } | undefined> {
  return await stat(path).catch(() => undefined);
}
