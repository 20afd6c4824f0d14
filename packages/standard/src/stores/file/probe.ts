import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describeError, type ProbeFinding } from "@mqb/core/plugin";
import { parseDocument } from "./document.ts";

/** Looks at the store's file and its folder; makes nothing. A file that is missing is made by the first write. */
export async function probeStore(path: string): Promise<ProbeFinding[]> {
  const folder = await nearestFolder(dirname(path));
  // Every write replaces the file, so it is the folder that has to be writable.
  return [await contents(path), await writable(folder)];
}

async function contents(path: string): Promise<ProbeFinding> {
  try {
    const entries = parseDocument(await readFile(path, "utf8"), path);
    return { check: "exists", ok: true, detail: `${path} holds ${entries.size} entries` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { check: "exists", ok: true, detail: `${path} is made by the first write` };
    return {
      check: "exists",
      ok: false,
      detail: describeError(error),
      hint: "name another file, or move this one away",
    };
  }
}

async function writable(folder: string): Promise<ProbeFinding> {
  try {
    await access(folder, constants.W_OK);
    return { check: "writable", ok: true, detail: `${folder} is writable` };
  } catch (error) {
    const detail = `${folder} is not writable: ${describeError(error)}`;
    return { check: "writable", ok: false, detail, hint: "check its permissions, and who runs mqb" };
  }
}

async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (at === dirname(at) || (await stat(at).catch(() => undefined))) return at;
  }
}
