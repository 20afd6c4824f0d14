import type { Closable } from "./hooks.ts";

/** A close that may be called again, and the signal that it gives. */
export function closing(hooks: Closable): { readonly signal: AbortSignal; readonly close: () => Promise<void> } {
  const stop = new AbortController();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop.abort();
    await hooks.close?.();
  };
  return { signal: stop.signal, close: () => (closed ??= close()) };
}
