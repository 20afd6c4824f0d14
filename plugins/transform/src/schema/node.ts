import type { JsonValue } from "@mqb/json";
import type { Members } from "./members.ts";

export type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A compiled schema. A tree: each node belongs to one place of a document. */
export interface SchemaNode {
  /** Undefined = any. */
  readonly type: TypeName | undefined;
  readonly nullable: boolean;
  readonly enum: EnumValues | undefined;
  /** As JSON, already made to fit the schema. */
  default: Buffer | undefined;
  /** Undefined = objects are not looked into. */
  readonly members: Members | undefined;
  /** Undefined = arrays are not looked into. */
  readonly items: SchemaNode | undefined;
  readonly content: Content | undefined;
}

/** Strings hold a JSON document; what its schema is, if any. */
export interface Content {
  readonly schema: SchemaNode | undefined;
}

export interface EnumValues {
  readonly values: readonly JsonValue[];
  /** Of the usual values the bytes: equal bytes are equal values. */
  readonly written: readonly Buffer[];
  readonly text: string;
}

export const ANYTHING: SchemaNode = {
  type: undefined,
  nullable: false,
  enum: undefined,
  default: undefined,
  members: undefined,
  items: undefined,
  content: undefined,
};
