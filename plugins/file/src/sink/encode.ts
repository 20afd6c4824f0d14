import { ACCEPTED, failed, type MessageBatch, type Outcome } from "@mqb/core/plugin";
import type { Compressor, Refused } from "@mqb/formats";

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
