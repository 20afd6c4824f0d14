import { rename, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
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
  const kept = await unusedName(`${path}.damaged`);
  await rename(path, kept);
  return { state: "repaired", details: [...found.details, `it is ${kept} now; the positions begin anew`] };
}

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
