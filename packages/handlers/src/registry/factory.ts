import type { ConfigSchema, Logger, OpenContext, Side } from "@mqb/core/plugin";

/** What a factory gets beside the route's name and the configuration. */
export interface FactoryContext {
  /** Where in the route it stands, e.g. `output` or `input.middlewares[0].mask`. */
  readonly path: string;
  readonly side: Side;
  readonly log: Logger;
  /** Aborted when the start is given up, and after the route's ends were closed. */
  readonly signal: AbortSignal;
  /** Relative paths are relative to this folder. */
  readonly baseDir: string;
  /** The route ends at the first empty batch. */
  readonly draining: boolean;
}

export function factoryContext({ path, side, log, signal, baseDir, draining }: OpenContext): FactoryContext {
  return { path, side, log, signal, baseDir, draining };
}

/** What is made by code reads its configuration itself. */
export const ANY_CONFIG: ConfigSchema = {
  "~standard": {
    version: 1,
    vendor: "mqb",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({}) },
  },
};
