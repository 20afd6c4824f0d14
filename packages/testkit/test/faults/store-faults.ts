import type { Clock, StateStore } from "@mqb/core/plugin";

interface StoreFault {
  readonly scenario: string;
  readonly fault: (store: StateStore, clock: Clock) => StateStore;
  /** The store says that it can be open once only. */
  readonly exclusive?: true;
}

/** A store with one fault, and the scenario that has to find it. */
export const storeFaults: Readonly<Record<string, StoreFault>> = {
  "answers only for keys that exist": {
    scenario: "absent keys read as undefined",
    fault: (store) => ({ ...store, getMany: async (keys) => (await store.getMany(keys)).filter((entry) => entry) }),
  },
  "answers in the order of the keys' names": {
    scenario: "what is put is read by position",
    fault: (store) => ({ ...store, getMany: (keys) => store.getMany([...keys].sort()) }),
  },
  "refuses empty lists": {
    scenario: "empty lists",
    fault: (store) => ({
      ...store,
      getMany: (keys) => (keys.length === 0 ? Promise.reject(new Error("no keys")) : store.getMany(keys)),
    }),
  },
  "applies the writes of a call at the same time": {
    scenario: "applied in order",
    fault: (store) => ({
      ...store,
      putMany: async (writes) => (await store.putMany([...writes].reverse())).toReversed(),
    }),
  },
  "gives the version by value": {
    scenario: "a version that changes at every write",
    fault: (store) => ({
      ...store,
      putMany: async (writes) => {
        await store.putMany(writes);
        return writes.map((write) => ({ type: "written", version: Buffer.from(write.value).toString() }));
      },
      getMany: async (keys) =>
        (await store.getMany(keys)).map((e) => e && { ...e, version: Buffer.from(e.value).toString() }),
    }),
  },
  "takes null for no expectation": {
    scenario: "expectedVersion null writes only an absent key",
    fault: (store) => ({
      ...store,
      putMany: (writes) =>
        store.putMany(
          writes.map(({ expectedVersion, ...write }) =>
            typeof expectedVersion === "string" ? { ...write, expectedVersion } : write,
          ),
        ),
    }),
  },
  "does not look at versions": {
    scenario: "expectedVersion writes only over that version",
    fault: (store) => ({
      ...store,
      putMany: (writes) => store.putMany(writes.map(({ expectedVersion: _, ...write }) => write)),
    }),
  },
  "writes over a version of an absent key": {
    scenario: "expectedVersion of a key that is gone",
    fault: (store) => ({
      ...store,
      async putMany(writes) {
        const found = await store.getMany(writes.map((write) => write.key));
        return store.putMany(
          writes.map(({ expectedVersion, ...write }, i) =>
            expectedVersion === undefined || !found[i] ? write : { ...write, expectedVersion },
          ),
        );
      },
    }),
  },
  "does not say what is there": {
    scenario: "expectedVersion writes only over that version",
    fault: (store) => ({
      ...store,
      putMany: async (writes) =>
        (await store.putMany(writes)).map((result) => (result.type === "conflict" ? { type: "conflict" } : result)),
    }),
  },
  "fails the whole call for one conflict": {
    scenario: "a conflict stops no other write",
    fault: (store) => ({
      ...store,
      putMany: async (writes) => {
        const results = await store.putMany(writes);
        const bad = results.find((result) => result.type === "conflict");
        return bad ? writes.map(() => bad) : results;
      },
    }),
  },
  "never expires": {
    scenario: "counts as absent after its expiry",
    fault: (store) => ({
      ...store,
      putMany: (writes) => store.putMany(writes.map(({ expiresAt: _, ...write }) => write)),
    }),
  },
  "reads by the system's clock": {
    scenario: "an expired entry is absent for expectedVersion too",
    fault: (store) => ({
      ...store,
      putMany: (writes) =>
        store.putMany(
          writes.map((write) => (write.expiresAt ? { ...write, expiresAt: write.expiresAt + 9e9 } : write)),
        ),
    }),
  },
  "keeps the first expiry": {
    scenario: "a later write replaces the expiry",
    fault(store) {
      const first = new Map<string, number>();
      return {
        ...store,
        putMany(writes) {
          for (const { key, expiresAt } of writes) if (expiresAt && !first.has(key)) first.set(key, expiresAt);
          return store.putMany(
            writes.map((write) => (first.has(write.key) ? { ...write, expiresAt: first.get(write.key)! } : write)),
          );
        },
      };
    },
  },
  "takes values for text": {
    scenario: "any bytes come back",
    fault: (store) => ({
      ...store,
      putMany: (writes) =>
        store.putMany(writes.map((write) => ({ ...write, value: Buffer.from(Buffer.from(write.value).toString()) }))),
    }),
  },
  "takes an empty value for an absent one": {
    scenario: "any bytes come back",
    fault: (store) => ({
      ...store,
      getMany: async (keys) => (await store.getMany(keys)).map((entry) => (entry?.value.length ? entry : undefined)),
    }),
  },
  "keeps the caller's buffer": {
    scenario: "does not change with the buffer",
    fault(store) {
      const kept = new Map<string, Uint8Array>();
      return {
        ...store,
        putMany(writes) {
          for (const { key, value } of writes) kept.set(key, value);
          return store.putMany(writes);
        },
        getMany: async (keys) =>
          (await store.getMany(keys)).map((entry) => entry && { ...entry, value: kept.get(entry.key)! }),
      };
    },
  },
  "folds keys": {
    scenario: "keys of up to 255 characters",
    fault: (store) => ({
      ...store,
      putMany: (writes) => store.putMany(writes.map((write) => ({ ...write, key: write.key.normalize("NFC") }))),
      getMany: (keys) => store.getMany(keys.map((key) => key.normalize("NFC"))),
    }),
  },
  "cuts long lists off": {
    scenario: "thousands of keys",
    fault: (store) => ({ ...store, putMany: (writes) => store.putMany(writes.slice(0, 999)) }),
  },
  "loses updates between a look and a write": {
    scenario: "concurrent writers that expect a version",
    fault: (store) => ({
      ...store,
      async putMany(writes) {
        const found = await store.getMany(writes.map((write) => write.key));
        const fits = writes.every(
          (w, i) => w.expectedVersion === undefined || w.expectedVersion === (found[i]?.version ?? null),
        );
        await new Promise((resolve) => setImmediate(resolve));
        if (!fits) return writes.map(() => ({ type: "conflict" }));
        return store.putMany(writes.map(({ expectedVersion: _, ...write }) => write));
      },
    }),
  },
  "looks at versions in its own memory only": {
    scenario: "writers with handles of their own",
    fault(store) {
      const seen = new Map<string, string>();
      return {
        ...store,
        async getMany(keys) {
          const found = await store.getMany(keys);
          for (const entry of found) if (entry) seen.set(entry.key, entry.version);
          return found;
        },
        async putMany(writes) {
          await new Promise((resolve) => setImmediate(resolve));
          return store.putMany(
            writes.map(({ expectedVersion, ...write }) =>
              expectedVersion === undefined || expectedVersion === (seen.get(write.key) ?? null)
                ? write
                : { ...write, expectedVersion },
            ),
          );
        },
      };
    },
  },
  "answers a call with the result of another": {
    scenario: "concurrent calls for different keys",
    fault(store) {
      let last: ReturnType<StateStore["getMany"]> | undefined;
      return {
        ...store,
        async getMany(keys) {
          last = store.getMany(keys);
          await new Promise((resolve) => setImmediate(resolve));
          return last;
        },
      };
    },
  },
  "claims to be exclusive and is not": {
    scenario: "a second handle is refused",
    exclusive: true,
    fault: (store) => store,
  },
  "forgets at close": {
    scenario: "opened again holds its entries",
    fault: (store) => ({
      ...store,
      async close() {
        await store.deleteMany(["a"]).catch(() => {});
        await store.close();
      },
    }),
  },
  "resolves a write before it is there": {
    scenario: "under way at close",
    fault: (store) => ({
      ...store,
      putMany: async (writes) => writes.map((_, n) => ({ type: "written", version: String(n) })),
    }),
  },
  "cannot be closed twice": {
    scenario: "close may be called again",
    fault(store) {
      let closes = 0;
      return {
        ...store,
        close: async () => (closes++ > 0 ? Promise.reject(new Error("closed already")) : store.close()),
      };
    },
  },
  "swallows what comes after close": {
    scenario: "a call after close is refused",
    fault: (store) => ({ ...store, putMany: (writes) => store.putMany(writes).catch(() => []) }),
  },
};
