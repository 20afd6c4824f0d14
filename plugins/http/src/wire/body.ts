const EMPTY = Buffer.alloc(0);
/** So many small pieces are put together, since each costs more than its bytes. */
const PIECES = 256;
const SMALL_BYTES = 64 * 1024;

/** The chunks of a body while it arrives. */
export class Body {
  size = 0;
  private pieces: Buffer[] = [];
  /** The pieces before it are left as they are. */
  private packed = 0;
  private loose = 0;

  add(chunk: Buffer): void {
    this.size += chunk.length;
    this.loose += chunk.length;
    if (this.pieces.push(chunk) - this.packed < PIECES) return;
    if (this.loose < SMALL_BYTES) this.pieces.push(Buffer.concat(this.pieces.splice(this.packed)));
    this.packed = this.pieces.length;
    this.loose = 0;
  }

  /** How many pieces it is kept in. */
  get count(): number {
    return this.pieces.length;
  }

  whole(): Buffer {
    if (this.pieces.length < 2) return this.pieces[0] ?? EMPTY;
    return Buffer.concat(this.pieces, this.size);
  }
}
