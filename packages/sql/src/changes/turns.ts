/** The two sides of a log wait for each other here: one for rows, the other for room. */
export class Turns {
  private wake: (() => void) | undefined;
  private roomy: (() => void) | undefined;

  /** Resolves when there is something new, or the signal aborts. */
  rows(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  /** Resolves when somebody has taken rows, or there will be no more. */
  room(): Promise<void> {
    return new Promise((resolve) => {
      this.roomy = resolve;
    });
  }

  hasRows(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }

  /** Gives whether somebody has waited for it. */
  hasRoom(): boolean {
    const { roomy } = this;
    this.roomy = undefined;
    roomy?.();
    return roomy !== undefined;
  }
}
