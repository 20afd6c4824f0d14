import type { Registry } from "@mqb/core";
import type {
  Consumer,
  EndpointDefinition,
  InputCapabilities,
  MessageBatch,
  Publisher,
  StateEntry,
  StateStore,
  StateWrite,
  WriteResult,
} from "@mqb/core/plugin";

/** What a trial is told of. */
export interface Trial {
  /** Messages as they came from the source, before any middleware. */
  read(batch: MessageBatch): void;
  /** Messages that a sink would have been given; `path` says where in the route it stands. */
  written(batch: MessageBatch, path: string, type: string): void;
}

type Registered<D> = { readonly name: string; readonly plugin: string; readonly definition: D };

/**
 * The registry for a trial: sources are read but nothing is acknowledged, sinks only take note, and state stores are
 * read but keep what is written to themselves. What composes other endpoints stays as it is.
 */
export function trialRegistry(registry: Registry, trial: Trial): Registry {
  return {
    ...registry,
    endpoint: (name) => {
      const found = registry.endpoint(name);
      return found && { ...found, definition: onTrial(found, trial) };
    },
    store: (scheme) => {
      const found = registry.store(scheme);
      if (!found) return found;
      const { definition } = found;
      return {
        ...found,
        definition: { ...definition, open: async (url, context) => overlay(await definition.open(url, context)) },
      };
    },
  };
}

function onTrial({ name, definition }: Registered<EndpointDefinition>, trial: Trial): EndpointDefinition {
  const { input, output, structural } = definition;
  if (structural) return definition;
  return {
    ...definition,
    ...(input
      ? {
          input: {
            ...input,
            open: async (config, context) =>
              unacknowledged(await input.open(config, context), context.path === "input" ? trial : undefined),
          },
        }
      : {}),
    ...(output
      ? {
          output: {
            ...output,
            open: (_, context): Publisher => ({
              send: async (batch) => {
                trial.written(batch, context.path, name);
                return undefined;
              },
              close: async () => {},
            }),
          },
        }
      : {}),
  };
}

/** Whether what is read from a source on trial comes again: it is acknowledged, or has a position that was not moved. */
export function canBeTried({ acknowledges, stableIds, bounded, replayablePosition }: InputCapabilities): boolean {
  return acknowledges || replayablePosition || (bounded && stableIds);
}

function unacknowledged(inner: Consumer, trial: Trial | undefined): Consumer {
  return {
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      trial?.read(delivery.batch);
      return { ...delivery, batch: delivery.batch, commit: async () => {} };
    },
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}

/** A store whose writes stay in memory. */
function overlay(store: StateStore): StateStore {
  const written = new Map<string, StateEntry | undefined>();
  let version = 0;
  const get = async (keys: readonly string[]): Promise<(StateEntry | undefined)[]> => {
    const below = await store.getMany(keys);
    return keys.map((key, index) => (written.has(key) ? written.get(key) : below[index]));
  };
  return {
    getMany: get,
    async putMany(writes: readonly StateWrite[]): Promise<WriteResult[]> {
      const results: WriteResult[] = [];
      for (const { expectedVersion, ...write } of writes) {
        const [current] = await get([write.key]);
        if (expectedVersion !== undefined && (current?.version ?? null) !== expectedVersion) {
          results.push({ type: "conflict", ...(current ? { current } : {}) });
          continue;
        }
        version += 1;
        const entry = { ...write, version: `trial-${version}` };
        written.set(write.key, entry);
        results.push({ type: "written", version: entry.version });
      }
      return results;
    },
    async deleteMany(keys) {
      for (const key of keys) written.set(key, undefined);
    },
    close: () => store.close(),
  };
}
