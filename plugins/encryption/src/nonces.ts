import { randomFillSync } from "node:crypto";

/**
 * Nonces that begin at a random number and are counted up, as one number with its highest byte first. Within one life none
 * comes twice; two lives would have to begin within each other's reach: with 12 bytes as unlikely as any two random
 * nonces meeting, and less.
 */
export class Nonces {
  /** The next one. */
  readonly bytes: Buffer;

  constructor(size: number) {
    this.bytes = randomFillSync(Buffer.alloc(size));
  }

  advance(): void {
    for (let at = this.bytes.length - 1; at >= 0; at--) {
      this.bytes[at] = this.bytes[at]! + 1;
      if (this.bytes[at] !== 0) return;
    }
  }
}
