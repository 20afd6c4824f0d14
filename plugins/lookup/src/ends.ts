import type { EndpointStatus, Publisher } from "@mqb/core/plugin";
import { formatPath } from "@mqb/json";
import type { Lookup } from "./enricher.ts";

/** Opens all of them at the same time. When one cannot be opened, the others are closed again and its error is thrown. */
export async function openAll(openings: readonly Promise<Lookup>[]): Promise<readonly Lookup[]> {
  const settled = await Promise.allSettled(openings);
  const opened = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = settled.find((one) => one.status === "rejected");
  if (!refused) return opened;
  await Promise.allSettled(opened.map(({ source }) => source.setup.publisher.close()));
  throw refused.reason;
}

/** Closes an end and all endpoints that lookups ask, also when one of them fails; then throws the first error. */
export async function closeAll(inner: { close(): Promise<void> }, lookups: readonly Lookup[]): Promise<void> {
  await eachOne([
    () => inner.close(),
    ...lookups.map(
      ({ source }) =>
        () =>
          source.setup.publisher.close(),
    ),
  ]);
}

/** Writing lookups are as durable as what they are for. */
export async function flushAll(inner: Publisher, lookups: readonly Lookup[]): Promise<void> {
  await eachOne([
    async () => inner.flush?.(),
    ...lookups.map(
      ({ source }) =>
        async () =>
          source.setup.publisher.flush?.(),
    ),
  ]);
}

/** The state of an end, and of all endpoints that lookups ask. */
export function statusOf(inner: EndpointStatus | undefined, lookups: readonly Lookup[]): EndpointStatus {
  const own = inner ?? { healthy: true, target: "" };
  const asked = lookups.map(({ into, source }) => [formatPath(into), source.status()] as const);
  const error = own.error ?? asked.find(([, status]) => status.error !== undefined)?.[1].error;
  return {
    ...own,
    healthy: own.healthy && asked.every(([, status]) => status.healthy),
    ...(error === undefined ? {} : { error }),
    details: { ...own.details, lookup: Object.fromEntries(asked) },
  };
}

async function eachOne(acts: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  const settled = await Promise.allSettled(acts.map(async (act) => act()));
  const refused = settled.find((one) => one.status === "rejected");
  if (refused) throw refused.reason;
}
