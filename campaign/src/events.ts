import { setTimeout as wait } from "node:timers/promises";
import type { FaultProxy } from "@mqb/testkit";
import type { Faults } from "./pairs/pair.ts";
import { EVENT_KINDS, type EventKind, type PlannedEvent } from "./plan.ts";
import type { Product } from "./product.ts";

/** What can happen to a pair with these means. */
export function eventKinds(faults: Faults): readonly EventKind[] {
  const can = (kind: EventKind): boolean => {
    if (kind.endsWith("source")) return faults.source !== undefined;
    if (kind.endsWith("sink")) return faults.sink !== undefined;
    if (kind.endsWith("server")) return faults.servers.length > 0;
    return kind !== "state disk full" || faults.stateDisk !== undefined;
  };
  return EVENT_KINDS.filter(can);
}

/** Lets it happen, and resolves when it is over: what was stalled or taken away is there again. */
export async function happen(event: PlannedEvent, product: Product, faults: Faults): Promise<void> {
  const { kind, lastsMs, chance } = event;
  const proxy = kind.endsWith("source") ? faults.source : faults.sink;
  switch (kind) {
    case "kill":
      return product.kill();
    case "terminate":
      return product.terminate();
    case "clock jump":
      return product.jump();
    case "cut source":
    case "cut sink":
      return proxy!.cut();
    case "stall source":
    case "stall sink":
      return stall(proxy!, lastsMs, chance);
    case "refuse source":
    case "refuse sink":
      return refuse(proxy!, lastsMs, chance);
    case "restart server":
      return faults.servers[Math.floor(chance * faults.servers.length)]!.restart();
    case "kill server":
      return faults.servers[Math.floor(chance * faults.servers.length)]!.kill();
    case "state disk full":
      faults.stateDisk!.fill();
      await wait(lastsMs);
      return faults.stateDisk!.free();
  }
}

/** Nothing stands in the way any more. */
export async function settle({ source, sink, stateDisk }: Faults): Promise<void> {
  stateDisk?.free();
  for (const proxy of [source, sink]) {
    proxy?.resume();
    await proxy?.accept();
  }
}

/** Half of the standstills end with a cut. */
async function stall(proxy: FaultProxy, lastsMs: number, chance: number): Promise<void> {
  proxy.stall();
  await wait(lastsMs);
  if (chance < 0.5) proxy.cut();
  proxy.resume();
}

async function refuse(proxy: FaultProxy, lastsMs: number, chance: number): Promise<void> {
  await proxy.refuse(chance < 0.5 ? "refused" : "reset");
  proxy.cut();
  await wait(lastsMs);
  await proxy.accept();
}
