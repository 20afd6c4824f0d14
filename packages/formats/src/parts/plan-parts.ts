import type { MessageBatch } from "@mqb/core/plugin";
import type { CoveredRanges } from "./covered-ranges.ts";
import type { PartRange } from "./part-name.ts";
import { positionOf, type SourcePosition } from "./position.ts";

/** One part to write: positions in the batch, ascending by source position. */
export interface PlannedPart extends PartRange {
  readonly indices: Uint32Array;
}

export interface PartPlan {
  readonly parts: readonly PlannedPart[];
  /** Messages that carry no usable position. */
  readonly unplaced: readonly number[];
  /** Messages whose position another message of the batch has already. */
  readonly repeated: readonly number[];
  /** How many messages stand in parts already. */
  readonly covered: number;
}

/** Cuts a batch into runs of consecutive source positions; what is covered already belongs to none. */
export function planParts(batch: MessageBatch, covered: CoveredRanges): PartPlan {
  const unplaced: number[] = [];
  const repeated: number[] = [];
  let known = 0;
  const sequences = new Map<string, { readonly index: number; readonly at: SourcePosition }[]>();
  for (let index = 0; index < batch.length; index++) {
    const at = positionOf(batch.metadata(index));
    if (!at) unplaced.push(index);
    else if (covered.has(at)) known += 1;
    else {
      const key = `${at.partition}/${at.topic}`;
      const list = sequences.get(key);
      if (list) list.push({ index, at });
      else sequences.set(key, [{ index, at }]);
    }
  }
  const parts: PlannedPart[] = [];
  for (const list of sequences.values()) {
    list.sort((a, b) => (a.at.value < b.at.value ? -1 : a.at.value > b.at.value ? 1 : a.index - b.index));
    let run: typeof list = [];
    for (const one of list) {
      const last = run.at(-1);
      if (last && one.at.value === last.at.value) {
        repeated.push(one.index);
        continue;
      }
      if (last && one.at.value !== last.at.value + 1n) {
        parts.push(partOf(run));
        run = [];
      }
      run.push(one);
    }
    parts.push(partOf(run));
  }
  return { parts, unplaced, repeated, covered: known };
}

function partOf(run: readonly { readonly index: number; readonly at: SourcePosition }[]): PlannedPart {
  const { topic, partition, value } = run[0]!.at;
  return {
    topic,
    partition,
    start: value,
    end: run.at(-1)!.at.value,
    indices: Uint32Array.from(run, (one) => one.index),
  };
}
