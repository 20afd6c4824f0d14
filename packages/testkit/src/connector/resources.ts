import { createHook } from "node:async_hooks";
import { readdirSync, readlinkSync } from "node:fs";
import { sep } from "node:path";
import { eventually } from "../wait/eventually.ts";

/** What was opened while a test ran and keeps the process alive: timers, sockets, servers, workers, child processes. */
export interface NewResources extends Disposable {
  /** Waits until nothing of it is open any more, and gives what still is when that does not happen. */
  left(withinMs: number): Promise<string[]>;
}

interface Referenced {
  hasRef(): boolean;
}

/** Watches what is opened from now on. Of what was open before, nothing is looked at. */
export function newResources(): NewResources {
  const opened = new Map<number, { readonly type: string; readonly resource: Referenced }>();
  let watching = true;
  const hook = createHook({
    init(id, type, _, resource) {
      if (watching && type !== "Immediate" && isReferenced(resource)) opened.set(id, { type, resource });
    },
    destroy(id) {
      opened.delete(id);
    },
  }).enable();
  const alive = (): string[] =>
    [...opened.values()].filter(({ resource }) => resource.hasRef()).map(({ type }) => type);
  return {
    async left(withinMs) {
      watching = false;
      // Closing takes a moment, and the runner's own timers come and go.
      let last: string[] = [];
      await eventually(() => (last = alive()).length === 0, "everything to be closed", withinMs).catch(() => {});
      return last;
    },
    [Symbol.dispose]() {
      hook.disable();
    },
  };
}

/** Paths of files in a folder that this process holds open. Knows nothing outside of Linux. */
export function openFiles(folder: string): string[] {
  let descriptors: string[];
  try {
    descriptors = readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
  return descriptors.map(target).filter((path) => path === folder || path.startsWith(folder + sep));
}

function target(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

function isReferenced(resource: object): resource is Referenced {
  return typeof (resource as Partial<Referenced>).hasRef === "function";
}
