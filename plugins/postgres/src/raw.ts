import type pg from "pg";

const TEXTS = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

export interface RawResult {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Runs a statement and gives its values as the server's texts. With a name it is prepared once per connection. */
export async function raw(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
): Promise<RawResult> {
  const query = {
    text,
    values: [...values],
    rowMode: "array",
    types: TEXTS,
    ...(name === undefined ? {} : { name }),
  } as const;
  const result = await client.query<(string | null)[]>(query);
  return { rows: result.rows, fields: result.fields };
}

export async function rawRows(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<RawResult["rows"]> {
  return (await raw(client, text, values)).rows;
}

/** Runs several statements that have no values, in one round trip; gives the rows of the last one. */
export async function lastRows(client: pg.ClientBase, text: string): Promise<RawResult["rows"]> {
  const result: unknown = await client.query({ text, rowMode: "array", types: TEXTS });
  const results = (Array.isArray(result) ? result : [result]) as readonly RawResult[];
  return results.at(-1)!.rows;
}

/** A statement in pieces, with `$1`, `$2`, … for its values. */
export function numbered(pieces: readonly (string | number)[]): string {
  return pieces.map((piece) => (typeof piece === "number" ? `$${piece + 1}` : piece)).join("");
}
