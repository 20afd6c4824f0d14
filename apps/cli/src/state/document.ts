import { open, rename, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { cliErrors } from "../errors.ts";
import type { StateReport } from "./state.ts";

type Found = Omit<StateReport, "path" | "kind">;

/** Whether a file holds a document of positions. */
export async function checkDocument(path: string): Promise<Found> {
  if (!(await isThere(path))) return { state: "absent", details: [] };
  const findings = await standard.stores!["file"]!.probe!(resolve(path), { baseDir: "/", clock: systemClock });
  const contents = findings.find(({ check }) => check === "exists")!;
  return { state: contents.ok ? "sound" : "damaged", details: [contents.detail] };
}

/** Such a file is replaced as a whole, so that one that cannot be read holds nothing of use. It is moved out of the way. */
export async function repairDocument(path: string): Promise<Found> {
  const found = await checkDocument(path);
  if (found.state !== "damaged") return found;
  if (!(await couldBeOne(path)))
    throw cliErrors.USAGE({ message: `${path} holds something else than positions; it stays where it is` });
  const kept = await unusedName(`${path}.damaged`);
  await rename(path, kept);
  return { state: "repaired", details: [...found.details, `it is ${kept} now; the positions begin anew`] };
}

/** What a crash of the system leaves of a document is its beginning, zeros, or nothing. */
async function couldBeOne(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return /^[\0\s]*(\{|$)/.test(buffer.toString("latin1", 0, bytesRead));
  } finally {
    await file.close();
  }
}

const BEGINNING = 4096;

async function unusedName(path: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? path : `${path}-${n}`;
    if (!(await isThere(name))) return name;
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
