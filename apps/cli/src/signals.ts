const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** The wish of the user, or of the system, that the process ends. */
export interface StopSignal {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Listens for SIGINT and SIGTERM. The first asks to stop; the second ends the process at once, with 130 or 143. */
export function stopOnSignal(exit: (code: number) => void): StopSignal {
  const controller = new AbortController();
  const listeners = (Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]).map((name) => {
    const listener = (): void => {
      if (controller.signal.aborted) exit(EXIT_CODES[name]);
      else controller.abort(name);
    };
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    dispose: () => {
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}

/**
 * Calls the listener at each SIGHUP, until the returned function is called. On a terminal the signal means that the
 * terminal is gone, and is left to do what it always does: end the process.
 */
export function onHangup(listener: () => void, terminal: boolean): () => void {
  if (terminal || process.platform === "win32") return () => {};
  process.on("SIGHUP", listener);
  return () => {
    process.off("SIGHUP", listener);
  };
}
