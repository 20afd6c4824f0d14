import type { StateEntry, StateStore } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Entry } from "../folder.ts";
import type { Held } from "./held.ts";

/** Fills in the states that the store has. Rejects with STORE_READ, or STATE for a state that cannot be read. */
export async function loadStates(
  store: StateStore,
  entries: readonly Entry[],
  wanted: readonly { readonly entry: number; readonly held: Held }[],
): Promise<void> {
  if (wanted.length === 0) return;
  let found: readonly (StateEntry | undefined)[];
  try {
    found = await store.getMany(wanted.map(({ held }) => held.stored));
  } catch (cause) {
    throw errors.STORE_READ({}, { cause });
  }
  for (const [i, { entry, held }] of wanted.entries()) {
    const stored = found[i];
    if (!stored) continue;
    held.state = entries[entry]!.kind.load(stored.value);
    held.version = stored.version;
  }
}
