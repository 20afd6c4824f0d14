import type { OutputCapabilities, ResolvedChild } from "@mqb/core/plugin";

/** What a sink can do that consists of others: promises what all of them promise, asks for what one of them asks for. */
export function combined(children: readonly ResolvedChild[]): OutputCapabilities {
  const all = children.map((child) => child.output).filter((one) => one !== undefined);
  const needsPositions = all.find((one) => one.needsPositions !== undefined)?.needsPositions;
  const sizes = all.flatMap((one) => one.defaultBatchSize ?? []);
  return {
    acknowledges: all.every((one) => one.acknowledges),
    replies: all.some((one) => one.replies),
    orderedPublish: all.some((one) => one.orderedPublish),
    idempotent: all.every((one) => one.idempotent),
    ...(needsPositions === undefined ? {} : { needsPositions }),
    ...(sizes.length > 0 ? { defaultBatchSize: Math.max(...sizes) } : {}),
  };
}
