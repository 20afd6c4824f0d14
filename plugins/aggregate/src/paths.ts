import { formatPath, type JsonPath } from "@mqb/json";

/** The payload fields that one aggregate reads, each once; all of them are found in one pass over the bytes. */
export class Paths {
  readonly list: JsonPath[] = [];

  /** The slot of a path. */
  slot(path: JsonPath): number {
    const known = this.list.findIndex(
      (one) => one.length === path.length && one.every((step, at) => step === path[at]),
    );
    return known >= 0 ? known : this.list.push(path) - 1;
  }

  /** How the field of a slot is written. */
  name(slot: number): string {
    return formatPath(this.list[slot]!);
  }
}
