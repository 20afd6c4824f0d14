import { type ErrorKind, MqbError, type MqbErrorOptions } from "./mqb-error.ts";

/** One row of a package's error table. `message` gets the parameters of the place that throws. */
export interface ErrorRow<P> {
  readonly kind: ErrorKind;
  readonly message: (params: P) => string;
  /** What the reader can do about it. */
  readonly hint?: string | ((params: P) => string | undefined);
}

/** The makers of a table: `errors.NOT_FOUND({ path }, { cause })` makes an error with the code `PREFIX_NOT_FOUND`. */
export type ErrorTable<T> = {
  readonly [K in keyof T]: T[K] extends ErrorRow<infer P>
    ? ((params: P, options?: MqbErrorOptions) => MqbError) & { readonly code: string; readonly kind: ErrorKind }
    : never;
};

/** A row, with the type of its parameters. */
export function errorRow<P>(row: ErrorRow<P>): ErrorRow<P> {
  return row;
}

/**
 * Declares the errors of one package: `prefix` is `MQB_<PACKAGE>`, the keys are what went wrong. Codes are stable,
 * messages are not. Called once per package, in its `errors.ts`.
 */
export function defineErrors<const T extends Readonly<Record<string, ErrorRow<never>>>>(
  prefix: string,
  rows: T,
): ErrorTable<T> {
  const table: Record<string, unknown> = Object.create(null);
  for (const [key, row] of Object.entries(rows) as [string, ErrorRow<unknown>][]) {
    const code = `${prefix}_${key}`;
    const make = (params: unknown, options: MqbErrorOptions = {}): MqbError => {
      const hint = options.hint ?? (typeof row.hint === "function" ? row.hint(params) : row.hint);
      return new MqbError(code, row.kind, row.message(params), hint === undefined ? options : { ...options, hint });
    };
    table[key] = Object.assign(make, { code, kind: row.kind });
  }
  return table as ErrorTable<T>;
}
