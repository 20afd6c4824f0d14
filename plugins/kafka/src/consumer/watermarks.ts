import { sleep } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { LATEST, listOffsets } from "./offsets.ts";
import type { Partition } from "./partition.ts";

const EVERY_MS = 1000;

/**
 * Asks where partitions end that are not read at the moment, because what was read ahead waits for the sink: a fetch would have
 * told. Ends with `signal`.
 */
export async function watchEnds(
  client: KafkaClient,
  partitions: ReadonlyMap<string, Partition>,
  quietMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = client;
  while (await sleep(clock, EVERY_MS, signal)) {
    const now = clock.monotonic();
    const stale = [...partitions.values()].filter(({ seenAt }) => now - seenAt > Math.max(EVERY_MS, quietMs));
    if (stale.length === 0) continue;
    try {
      const places = stale.map(({ topic, number: partition }) => ({ topic, partition }));
      const ends = await listOffsets(client, places, LATEST, false, signal);
      for (const partition of stale) {
        const end = ends.get(partition.key);
        // What a fetch has said meanwhile is newer.
        if (end !== undefined && partition.seenAt <= now) partition.sees(end, clock.monotonic());
      }
    } catch {
      // A lost connection is for those to tell who need it; the next round asks again.
    }
  }
}
