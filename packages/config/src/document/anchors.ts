import { type Alias, type Document, isAlias, isCollection, isPair, isScalar, type Node } from "yaml";

/**
 * What every alias of a document stands for: the last node before it that has the anchor. One walk for all of them,
 * since asking the document for one walks the whole of it.
 */
export function aliasTargets(document: Document.Parsed): ReadonlyMap<Alias, Node | undefined> {
  const targets = new Map<Alias, Node | undefined>();
  const anchors = new Map<string, Node>();
  // A stack of its own: a document may be nested deeper than calls may be.
  const open: unknown[] = [document.contents];
  while (open.length > 0) {
    const node = open.pop();
    if (isPair(node)) open.push(node.value, node.key);
    else if (isAlias(node)) targets.set(node, anchors.get(node.source));
    else if (isCollection(node) || isScalar(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isCollection(node)) for (let at = node.items.length - 1; at >= 0; at--) open.push(node.items[at]);
    }
  }
  return targets;
}
