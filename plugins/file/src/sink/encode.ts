import { ACCEPTED, failed, type MessageBatch, type OpenContext, type Outcome } from "@mqb/core/plugin";
import type { Compressor, Refused } from "@mqb/formats";
import type { FileConfig } from "../config.ts";

/** One outcome per message, or undefined when none was refused. */
export function outcomesOf(batch: MessageBatch, refused: readonly Refused[]): readonly Outcome[] | undefined {
  if (refused.length === 0) return undefined;
  const outcomes = new Array<Outcome>(batch.length).fill(ACCEPTED);
  for (const { index, error } of refused) outcomes[index] = failed(error);
  return outcomes;
}

/** The chunks as members of the codec; as they are without one. */
export async function compressed(
  chunks: readonly Buffer[],
  compressor: Compressor | undefined,
): Promise<readonly Buffer[]> {
  if (!compressor || chunks.length === 0) return chunks;
  const members = await compressor.compress(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  return members as readonly Buffer[];
}

/** Told once, when a record's keys are not the columns; `key` is the first that is none. */
export function warnMismatch(config: FileConfig, context: OpenContext, key: string | undefined): void {
  const what =
    key === undefined
      ? "lacks columns, which stay empty"
      : `has keys that are no columns, first "${key}", which are dropped`;
  context.log.warn(`${config.path}: a record ${what}; further ones are not reported`);
}
