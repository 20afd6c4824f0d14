import { describeError, kindOf, type MessageBatch } from "@mqb/core/plugin";
import { formatPath, type JsonPath } from "@mqb/json";
import { type Answered, isFailure, NULL } from "./answer.ts";
import type { LookupSettings } from "./config.ts";
import { type Enriched, EnrichedBatch } from "./enriched.ts";
import { errors } from "./errors.ts";
import { Fields } from "./fields.ts";
import { type FoundPlaces, Places } from "./places.ts";
import type { Source } from "./source.ts";

export interface Lookup {
  /** Empty = the whole payload. */
  readonly into: JsonPath;
  readonly source: Source;
}

/** A batch of tiny messages with large answers must not make room for as much behind every large batch. */
const MAX_GROWTH = 8;

export type Policies = Pick<LookupSettings, "on_missing" | "on_error">;

/** Makes all lookups of a batch at the same time and writes what they have found into its payloads. */
export class Enricher {
  private readonly lookups: readonly Lookup[];
  private readonly policies: Policies;
  /** Undefined: the payload is replaced, and may be anything. */
  private readonly places: Places | undefined;
  /** Everything that is looked for in payloads. */
  private readonly fields: Fields;
  /** By lookup: where the fields of its key begin among these. */
  private readonly keysFrom: readonly number[];
  private readonly names: readonly string[];
  /** Bytes that came out of the last batch for each that went in. */
  private growth = 1.2;

  constructor(lookups: readonly Lookup[], policies: Policies) {
    this.lookups = lookups;
    this.policies = policies;
    const paths = lookups.map(({ into }) => into);
    const replaces = paths.some((path) => path.length === 0);
    this.places = replaces ? undefined : new Places(paths);
    this.names = replaces ? [] : paths.map(formatPath);
    const fields: JsonPath[] = [...(this.places?.paths ?? [])];
    this.keysFrom = lookups.map(({ source }) => {
      const from = fields.length;
      fields.push(...source.keyPaths);
      return from;
    });
    this.fields = new Fields(fields);
  }

  /** Never rejects. When `signal` aborts, what is not answered has failed. */
  async run(batch: MessageBatch, signal: AbortSignal): Promise<Enriched> {
    const enriched = new EnrichedBatch(batch, this.names, this.growth);
    const found = this.fields.look(batch);
    const places = this.places?.of(found);
    const positions = withRoom(batch, places, enriched);
    const asked = { batch, positions, found };
    const answers = await Promise.all(
      this.lookups.map(({ source }, at) => source.ask({ ...asked, keysFrom: this.keysFrom[at]! }, signal)),
    );
    const own = new Array<Answered>(this.lookups.length);
    for (let i = 0; i < positions.length; i++) {
      for (let at = 0; at < own.length; at++) own[at] = answers[at]![i]!;
      this.settle(batch, positions[i]!, own, places, enriched);
    }
    if (batch.byteLength > 0) this.growth = Math.min(MAX_GROWTH, (1.05 * enriched.out.length) / batch.byteLength);
    return enriched.finish();
  }

  private settle(
    batch: MessageBatch,
    index: number,
    answers: readonly Answered[],
    places: FoundPlaces | undefined,
    enriched: EnrichedBatch,
  ): void {
    const { on_missing, on_error } = this.policies;
    const failed = answers.some(isFailure);
    const missing = answers.findIndex((answer) => !isFailure(answer) && !answer.found);
    const error = failed ? worst(answers) : undefined;
    if (failed && (on_error === "fail" || kindOf(error, "retryable") === "config")) enriched.fail(index, error);
    else if (missing >= 0 && on_missing === "fail") {
      enriched.fail(index, errors.MISSING({ into: formatPath(this.lookups[missing]!.into) }));
    } else if ((failed && on_error === "drop") || (missing >= 0 && on_missing === "drop")) enriched.drop();
    else {
      const values = answers.map((answer) => this.valueOf(answer));
      if (places) places.write(index, values, enriched.out);
      else enriched.out.put(values[0] ?? batch.payload(index));
      const found = answers.map((answer) => !isFailure(answer) && answer.found);
      enriched.keep(index, found, failed ? describeError(error) : undefined);
    }
  }

  /** What is written; undefined = nothing. */
  private valueOf(answer: Answered): Uint8Array | undefined {
    const { on_missing, on_error } = this.policies;
    if (isFailure(answer)) return on_error === "write_null" ? NULL : undefined;
    return answer.found || on_missing === "write_null" ? answer.json : undefined;
  }
}

/** The positions of messages that answers can be written into: nobody is asked for the others. */
function withRoom(batch: MessageBatch, places: FoundPlaces | undefined, enriched: EnrichedBatch): Uint32Array {
  const positions = new Uint32Array(batch.length);
  let count = 0;
  for (let index = 0; index < batch.length; index++) {
    const fault = places?.fault(index);
    if (fault) enriched.fail(index, fault);
    else positions[count++] = index;
  }
  return positions.subarray(0, count);
}

const SEVERITY = ["config", "permanent"] as const;

/** The failure that decides: of an endpoint that cannot be used, else one that no repetition mends, else the first. */
function worst(answers: readonly Answered[]): unknown {
  const failures = answers.filter(isFailure).map(({ error }) => error);
  for (const kind of SEVERITY) {
    const found = failures.find((error) => kindOf(error, "retryable") === kind);
    if (found !== undefined) return found;
  }
  return failures[0];
}
