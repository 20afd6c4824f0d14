/** Exit codes of the command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
