import type { HttpConfig } from "../schema.ts";
import { encodeValue } from "./headers.ts";

/** A header as it is written: name and value, ready for the wire. */
export type HeaderPair = readonly [name: string, value: string];

/** The configured headers, as they go on the wire; their check has refused what cannot. */
export function customHeaders({ custom_headers: headers }: HttpConfig): HeaderPair[] {
  return Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), encodeValue(value) ?? ""]);
}
