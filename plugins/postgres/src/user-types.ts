import type pg from "pg";
import { rawRows } from "./raw.ts";

/**
 * What the values of a type are that is not built in. A domain is the text that it has, as the original gives it, unless what
 * it is made of is an array or JSON.
 */
export type UserType =
  | { readonly kind: "text" | "json" }
  | {
      readonly kind: "array";
      /** The type of its elements, of a domain the one that it is made of. */
      readonly element: number;
      /** What separates them in the server's text. */
      readonly delimiter: string;
    };

/** Types with smaller numbers are built in, and have the same ones everywhere. */
const FIRST = 10_000;
const TEXT: UserType = { kind: "text" };
const JSON_TYPES = new Set([114, 3802]);

/** The types and whatever they are made of: what a domain stands on, and the elements of an array. */
const TYPES = `
WITH RECURSIVE types AS (
  SELECT oid, typtype, typbasetype, typelem FROM pg_type WHERE oid = ANY ($1::oid[])
  UNION
  SELECT t.oid, t.typtype, t.typbasetype, t.typelem FROM types s JOIN pg_type t ON t.oid IN (s.typbasetype, s.typelem)
)
SELECT t.oid, CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE 0 END, coalesce(e.oid, 0), e.typdelim
FROM types t LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND t.typtype <> 'd'`;

interface Found {
  /** 0 = it is no domain. */
  readonly base: number;
  /** 0 = it is no array. */
  readonly element: number;
  readonly delimiter: string;
}

/** What was asked of the catalog. Types never change what they are made of. */
export class UserTypes {
  private readonly known = new Map<number, UserType>();

  knows(type: number): boolean {
    return type < FIRST || this.known.has(type);
  }

  /** Undefined for one that is built in, and for one that was not asked for. */
  of(type: number): UserType | undefined {
    return this.known.get(type);
  }

  /** One that is not there any more is a text. */
  learn(type: number, found: UserType = TEXT): void {
    this.known.set(type, found);
  }

  /** Asks for those that are not known. */
  async ask(client: pg.ClientBase, types: Iterable<number>): Promise<void> {
    const wanted = [...new Set(types)].filter((type) => !this.knows(type));
    if (wanted.length === 0) return;
    const found = new Map<number, Found>();
    for (const [type, base, element, delimiter] of await rawRows(client, TYPES, [`{${wanted.join(",")}}`]))
      found.set(Number(type), { base: Number(base), element: Number(element), delimiter: delimiter ?? "," });
    for (const type of wanted) this.learn(type, userType(type, found));
  }
}

function userType(type: number, found: ReadonlyMap<number, Found>): UserType {
  const base = baseOf(type, found);
  const { element, delimiter } = found.get(base) ?? { element: 0, delimiter: "," };
  if (element !== 0) return { kind: "array", element: baseOf(element, found), delimiter };
  return JSON_TYPES.has(base) ? { kind: "json" } : TEXT;
}

/** Domains may be made of domains. */
function baseOf(type: number, found: ReadonlyMap<number, Found>): number {
  const base = found.get(type)?.base ?? 0;
  return base === 0 ? type : baseOf(base, found);
}
