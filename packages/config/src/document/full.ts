import { type Document, isAlias, isCollection, isMap, isPair, isScalar, isSeq, type Node, Scalar } from "yaml";
import type { TextNode, TextPair } from "./nodes.ts";

/** Deeper ones are refused; they are not looked at, since calls may not be nested as deep as a text may be. */
const DEEPER_THAN_ALLOWED = 102;

/** The nodes of a document that was read by the parser that can explain what is wrong. */
export function nodesOf(document: Document.Parsed): TextNode | undefined {
  const anchors = new Map<string, TextNode>();

  const nodeOf = (node: unknown, depth: number): TextNode | undefined => {
    const range = (node as Node | null | undefined)?.range;
    const place = range ? { start: range[0], end: range[1] } : {};
    if (isAlias(node)) return { kind: "alias", target: anchors.get(node.source), ...place };
    // Its anchor is there for what stands in it.
    const kept = <T extends TextNode>(one: T): T => {
      if ((isCollection(node) || isScalar(node)) && node.anchor !== undefined) anchors.set(node.anchor, one);
      return one;
    };
    const isTooDeep = depth > DEEPER_THAN_ALLOWED;
    if (isMap(node)) {
      const pairs: TextPair[] = [];
      const map = kept({ kind: "map", pairs, ...place });
      for (const pair of isTooDeep ? [] : (node.items as unknown[])) {
        if (isPair(pair)) pairs.push({ key: nodeOf(pair.key, depth + 1), value: nodeOf(pair.value, depth + 1) });
      }
      return map;
    }
    if (isSeq(node)) {
      const items: (TextNode | undefined)[] = [];
      const list = kept({ kind: "list", items, ...place });
      for (const item of isTooDeep ? [] : node.items) items.push(nodeOf(item, depth + 1));
      return list;
    }
    if (!isScalar(node)) return undefined;
    const { value, source, type } = node;
    const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
    const text = typeof value === "string" ? value : (source ?? String(value ?? ""));
    return kept({ kind: "scalar", value, text, isPlain: type === Scalar.PLAIN, isQuoted, ...place });
  };
  return nodeOf(document.contents, 0);
}
