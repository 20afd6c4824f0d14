import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { describeError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import type { IpcAddress } from "./address.ts";
import { isListening } from "./claim.ts";
import { placeToConnect, type Surroundings, surroundings } from "./place.ts";

/** Whether the socket can be listened at or connected to. Makes no folder and leaves no connection. */
export async function probeIpc(
  address: IpcAddress,
  { side }: Pick<ProbeContext, "side">,
  around: Surroundings = surroundings(),
): Promise<readonly ProbeFinding[]> {
  const path = await placeToConnect(address, around).catch(() => undefined);
  const identity = `memory ${path ?? address.url}`;
  let live: boolean;
  try {
    live = path !== undefined && (await isListening(path));
  } catch (error) {
    return [{ check: "reachable", ok: false, detail: `${path}: ${describeError(error)}`, identity }];
  }
  if (side === "output") {
    const detail = live ? `somebody listens at ${path}` : `nobody listens at ${path ?? address.url}`;
    const hint = "start the route that reads it first: the input listens, the output connects";
    return [{ check: "reachable", ok: live, detail, identity, ...(live ? {} : { hint }) }];
  }
  if (live) {
    const hint = "a socket has one consumer: use another address, or stop the other one";
    return [{ check: "free", ok: false, detail: `another consumer listens at ${path}`, hint, identity }];
  }
  if (path === undefined || address.kind === "pipe") {
    return [{ check: "free", ok: true, detail: `nobody listens at ${address.url}`, identity }];
  }
  return [{ ...(await writable(path)), identity }];
}

async function writable(path: string): Promise<ProbeFinding> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isSocket()) return { check: "free", ok: false, detail: `${path} is a file and no socket` };
  let folder = dirname(path);
  for (;;) {
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      return { check: "writable", ok: true, detail: `a socket can be made at ${path}` };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!missing || folder === dirname(folder)) {
        return { check: "writable", ok: false, detail: `${folder}: ${describeError(error)}` };
      }
      folder = dirname(folder);
    }
  }
}
