import { isMqbError, type MessageBatch, type MqbError } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, formatPath, type JsonPath, parsePath } from "@mqb/json";
import { errors } from "./errors.ts";

/** Where an answer goes; the empty path is the whole payload. Throws a `config` error. */
export function parseInto(into: string): JsonPath {
  let path: JsonPath;
  try {
    path = parsePath(into);
  } catch (error) {
    if (!isMqbError(error)) throw error;
    throw errors.INTO({ into, reason: error.message });
  }
  if (path.some((step) => typeof step === "number"))
    throw errors.INTO({ into, reason: "an item of a list is no place" });
  return path;
}

/** Whether one of the places is the other, or inside of it. */
export function overlap(a: JsonPath, b: JsonPath): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((step, i) => step === b[i]);
}

/** Looks whether payloads have room for the answers: every step on the way is an object, or not there yet. */
export class Places {
  private readonly paths: readonly JsonPath[];
  /** For each field that is looked at, the path that it is on the way of. */
  private readonly onTheWay: readonly { readonly field: JsonPath; readonly to: JsonPath }[];
  private readonly finder: FieldFinder;

  constructor(paths: readonly JsonPath[]) {
    this.paths = paths;
    this.onTheWay = paths.flatMap((to) => to.slice(1).map((_, i) => ({ field: to.slice(0, i + 1), to })));
    this.finder = compileFields(this.onTheWay.map(({ field }) => field));
  }

  /** Undefined when there is room. */
  fault(batch: MessageBatch, index: number): MqbError | undefined {
    const { finder, onTheWay } = this;
    const { slab } = batch;
    const bytes = slab ? slab.bytes : batch.payload(index);
    const [start, end] = slab ? [slab.starts[index]!, slab.ends[index]!] : [0, bytes.length];
    const first = formatPath(this.paths[0]!);
    if (!finder.find(bytes, start, end)) return errors.NOT_JSON({ into: first });
    if (finder.root !== FieldKind.object) return errors.NO_PLACE({ into: first, at: "$" });
    for (let i = 0; i < onTheWay.length; i++) {
      const kind = finder.kinds[i]!;
      if (kind === FieldKind.absent || kind === FieldKind.object) continue;
      const { field, to } = onTheWay[i]!;
      return errors.NO_PLACE({ into: formatPath(to), at: formatPath(field) });
    }
    return undefined;
  }
}
