import type { EndpointStatus, Publisher } from "@mqb/core/plugin";

/** Opens all of them at the same time. When one cannot be opened, the others are closed again and its error is thrown. */
export async function openAll(openings: readonly Promise<Publisher>[]): Promise<Publisher[]> {
  const settled = await Promise.allSettled(openings);
  const opened = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = settled.find((one) => one.status === "rejected");
  if (!refused) return opened;
  await Promise.allSettled(opened.map((one) => one.close()));
  throw refused.reason;
}

/** Flushes all of them, also when one fails; then throws the first error. */
export function flushAll(publishers: readonly Publisher[]): Promise<void> {
  return eachOne(publishers, async (one) => one.flush?.());
}

/** Closes all of them, also when one fails; then throws the first error. */
export function closeAll(publishers: readonly Publisher[]): Promise<void> {
  return eachOne(publishers, (one) => one.close());
}

async function eachOne(publishers: readonly Publisher[], act: (one: Publisher) => Promise<void>): Promise<void> {
  const settled = await Promise.allSettled(publishers.map(act));
  const refused = settled.find((one) => one.status === "rejected");
  if (refused) throw refused.reason;
}

/** The state of a whole by those of its parts, which are named as in the configuration. */
export function statusOf(
  kind: string,
  parts: ReadonlyMap<string, Publisher>,
  details: Readonly<Record<string, unknown>> = {},
): EndpointStatus {
  const statuses = new Map([...parts].map(([name, part]) => [name, part.status?.() ?? { healthy: true, target: "" }]));
  const all = [...statuses.values()];
  const error = all.find((one) => one.error !== undefined)?.error;
  const pending = all.flatMap((one) => one.pending ?? []);
  return {
    healthy: all.every((one) => one.healthy),
    target: `${kind}: ${all.map((one) => one.target).join(", ")}`,
    ...(pending.length > 0 ? { pending: pending.reduce((sum, one) => sum + one) } : {}),
    ...(error === undefined ? {} : { error }),
    details: { ...details, [kind]: Object.fromEntries(statuses) },
  };
}
