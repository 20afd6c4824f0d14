import type { ProbeFinding } from "@mqb/core/plugin";

/** For endpoints that reach nothing themselves: what they are made of is looked at by itself. */
export async function probeNothing(): Promise<readonly ProbeFinding[]> {
  return [{ check: "reachable", ok: true, detail: "its endpoints are looked at one by one" }];
}
