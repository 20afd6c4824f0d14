import type { JsonPath } from "@mqb/json";
import type { Node } from "../syntax/tree.ts";

/** What an expression reads of a message, each field of the payload once; collected while it is compiled. */
export class Fields {
  readonly paths: JsonPath[] = [];
  /** The slots whose values are asked for as numbers. */
  readonly numbers: number[] = [];
  /** Keys of the metadata that it reads. */
  readonly meta = new Set<string>();
  /** It reads `$root`, the payload as a whole. */
  whole = false;

  /** The slot of a path. */
  slot(path: JsonPath): number {
    const known = this.paths.findIndex(
      (one) => one.length === path.length && one.every((step, at) => step === path[at]),
    );
    return known >= 0 ? known : this.paths.push(path) - 1;
  }

  /** Where among `numbers` a slot is. */
  number(slot: number): number {
    const known = this.numbers.indexOf(slot);
    return known >= 0 ? known : this.numbers.push(slot) - 1;
  }
}

/** Where a chain of members begins, and its constant keys: `order.items[0]` is `order` and two steps. */
export interface Chain {
  readonly name: string;
  readonly path: (string | number)[];
}

/** The chain that a node is; undefined for anything else. */
export function chainOf(node: Node): Chain | undefined {
  if (node.type === "name") return { name: node.name, path: [] };
  if (node.type !== "member") return undefined;
  const chain = chainOf(node.of);
  const step = constantStep(node.key);
  if (!chain || step === undefined) return undefined;
  chain.path.push(step);
  return chain;
}

function constantStep(key: Node): string | number | undefined {
  if (key.type === "literal" && typeof key.value === "string") return key.value;
  if (key.type === "number" && /^\d{1,9}$/.test(key.text)) return Number(key.text);
  return undefined;
}

/** `a.b[0]`, for messages. */
export function shownPath(path: JsonPath): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : `${at > 0 ? "." : ""}${step}`)).join("");
}
