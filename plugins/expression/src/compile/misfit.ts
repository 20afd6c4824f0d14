import { cannot } from "../errors.ts";
import type { Node } from "../syntax/tree.ts";
import { isNumber, type Value } from "../value.ts";
import { chainOf, shownPath } from "./fields.ts";
import type { Operator } from "./operators.ts";

/** An operator between two nodes, by their sides. */
interface Sides {
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
  /** A text that writes a number was taken for one already. */
  readonly asNumbers: boolean;
}

/** The same operator, which says of texts that it takes for numbers where they are and what to write. No value is named. */
export function namingTexts(compute: Operator, sides: Sides): Operator {
  return (left, right) => {
    try {
      return compute(left, right);
    } catch (error) {
      throw textsOf(sides, left, right) ?? error;
    }
  };
}

function textsOf({ operator, left, right, asNumbers }: Sides, a: Value, b: Value): Error | undefined {
  const sides = [
    { node: left, value: a },
    { node: right, value: b },
  ];
  const texts = sides.filter(({ value }) => typeof value === "string").map(({ node }) => nameOf(node));
  const takesTexts = sides.every(({ value }) => typeof value === "string" || isNumber(value));
  if (texts.length === 0 || !takesTexts) return undefined;
  const what = texts.join(" and ");
  if (asNumbers) return cannot(`${what} is a text that writes no number, and ${operator} compares it with one`);
  const written = sides.map(({ node, value }) =>
    typeof value === "string" ? `number(${nameOf(node)})` : nameOf(node),
  );
  const dates = texts.length === 2 && "<>=".includes(operator[0]!) ? ", or d(…) on both sides for times" : "";
  const are = texts.length === 2 ? "are texts" : "is a text";
  return cannot(`${what} ${are}, and ${operator} takes numbers: write ${written.join(` ${operator} `)}${dates}`);
}

/** `order.amount`, or `…` for what is computed. */
function nameOf(node: Node): string {
  if (node.type === "number") return node.text;
  const chain = chainOf(node);
  return chain ? shownPath([chain.name, ...chain.path]) : "…";
}
