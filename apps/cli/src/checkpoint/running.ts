import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { instancesFolder, listInstances } from "../status/folder.ts";
import { workspaceOf } from "../status/lease.ts";
import type { Found } from "./find.ts";

/** Throws when a process that is known to `mqb status` runs the route of this configuration. */
export function refuseRunning({ route, file }: Found, { environment, clock }: CommandContext): void {
  const folder = instancesFolder(environment);
  if (route === undefined || file === undefined || folder === undefined) return;
  const { workspace_id } = workspaceOf(file);
  const running = instancesIn(folder, clock.now()).find(
    (one) =>
      one.workspace_id === workspace_id && one.routes.some((each) => each.label === route && !each.summary.outcome),
  );
  if (running) throw cliErrors.CHECKPOINT_IN_USE({ route, pid: running.pid });
}

/** A folder that is not the user's own says nothing about the user's processes. */
function instancesIn(folder: string, now: number): ReturnType<typeof listInstances> {
  try {
    return listInstances(folder, now);
  } catch {
    return [];
  }
}
