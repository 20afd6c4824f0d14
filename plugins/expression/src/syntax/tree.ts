/** A parsed expression. `at` is the offset in the source. */
export type Node =
  | { readonly type: "literal"; readonly at: number; readonly value: null | boolean | string }
  | { readonly type: "number"; readonly at: number; readonly text: string }
  | { readonly type: "name"; readonly at: number; readonly name: string }
  | { readonly type: "member"; readonly at: number; readonly of: Node; readonly key: Node }
  | { readonly type: "slice"; readonly at: number; readonly of: Node; readonly from?: Node; readonly to?: Node }
  | { readonly type: "unary"; readonly at: number; readonly operator: "not" | "-" | "+"; readonly of: Node }
  | BinaryNode
  | { readonly type: "choice"; readonly at: number; readonly when: Node; readonly then: Node; readonly other: Node }
  | { readonly type: "list"; readonly at: number; readonly items: readonly Node[] }
  | { readonly type: "object"; readonly at: number; readonly members: readonly (readonly [Node, Node])[] }
  | IntervalNode
  | { readonly type: "template"; readonly at: number; readonly parts: readonly (string | Node)[] }
  | { readonly type: "call"; readonly at: number; readonly name: string; readonly inputs: readonly Node[] }
  | MethodNode
  | {
      readonly type: "block";
      readonly at: number;
      readonly sets: readonly (readonly [string, Node])[];
      readonly result?: Node;
    };

export interface BinaryNode {
  readonly type: "binary";
  readonly at: number;
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
}

export interface IntervalNode {
  readonly type: "interval";
  readonly at: number;
  readonly from: Node;
  readonly to: Node;
  /** Whether each end belongs to it. */
  readonly closed: readonly [boolean, boolean];
}

export interface MethodNode {
  readonly type: "method";
  readonly at: number;
  readonly of: Node;
  readonly name: string;
  readonly inputs: readonly Node[];
}
