import type { AtRestCipher, AtRestEncryption, Decompressor } from "@mqb/formats";
import { InputQueue } from "@mqb/formats";
import type { Key } from "./cipher/key.ts";
import { type SingleCipher, TAG_BYTES } from "./cipher/single.ts";
import { headerOf, nonceBytes, parseHeader } from "./envelope.ts";
import { errors } from "./errors.ts";
import { checkKeys, type Keyring, openKeyring } from "./keys/keyring.ts";
import { Nonces } from "./nonces.ts";
import { keyOf, unknownKey } from "./opener.ts";

/** Longest frame that is read: it has to be held in memory as a whole before any of it is known to be authentic. */
const FRAME_MAX = 1024 * 1024 * 1024;
const LENGTH_BYTES = 8;
const NOTHING = Buffer.alloc(0);

/** Frames of `encryption:` blocks: eight bytes of length, the highest first, then an envelope of version 1. */
export const atRest: AtRestEncryption = {
  check: checkKeys,
  open: (settings, baseDir) => new FrameCipher(openKeyring(settings, baseDir)),
};

class FrameCipher implements AtRestCipher {
  private readonly keyring: Keyring;
  private readonly header: Buffer;
  private readonly nonces: Nonces;
  private readonly single: SingleCipher;

  constructor(keyring: Keyring) {
    const { cipher, own } = keyring;
    this.keyring = keyring;
    this.header = headerOf(1, cipher, own.idBytes);
    this.nonces = new Nonces(nonceBytes(cipher));
    this.single = own.cipher(cipher);
  }

  seal(bytes: Uint8Array): Buffer {
    const { header, nonces } = this;
    const nonceAt = LENGTH_BYTES + header.length;
    const body = nonceAt + nonces.bytes.length;
    const frame = Buffer.allocUnsafeSlow(body + bytes.length + TAG_BYTES);
    frame.writeBigUInt64BE(BigInt(frame.length - LENGTH_BYTES));
    frame.set(header, LENGTH_BYTES);
    frame.set(nonces.bytes, nonceAt);
    this.single.seal(nonces.bytes, NOTHING, bytes, frame, body);
    nonces.advance();
    return frame;
  }

  unseal(source: string): Decompressor {
    return new FrameReader(this.keyring.all, source);
  }
}

/** Gives what is in each frame once it is known to be authentic as a whole. */
class FrameReader implements Decompressor {
  private readonly keys: readonly Key[];
  private readonly source: string;
  private input = new InputQueue();

  constructor(keys: readonly Key[], source: string) {
    this.keys = keys;
    this.source = source;
  }

  push(bytes: Buffer): void {
    this.input.push(bytes);
  }

  async pull(): Promise<Buffer | undefined> {
    for (;;) {
      const length = this.length();
      const frame = length === undefined ? undefined : this.input.peek(LENGTH_BYTES + length);
      if (!frame) return undefined;
      const bytes = this.open(frame.subarray(LENGTH_BYTES));
      this.input.drop(frame.length);
      if (bytes.length > 0) return bytes;
    }
  }

  finish(): void {
    const held = this.input.length;
    if (held === 0) return;
    const whole = LENGTH_BYTES + (this.length() ?? 0);
    throw errors.FRAME_CUT({ source: this.source, offset: this.input.offset, missing: whole - held });
  }

  close(): void {
    this.input = new InputQueue();
  }

  /** Undefined until it is there. */
  private length(): number | undefined {
    const length = this.input.peek(LENGTH_BYTES)?.readBigUInt64BE();
    if (length === undefined) return undefined;
    if (length <= FRAME_MAX) return Number(length);
    throw errors.FRAME_LENGTH({ source: this.source, offset: this.input.offset, limit: FRAME_MAX });
  }

  private open(envelope: Buffer): Buffer {
    const what = `${this.source}, byte ${this.input.offset}: the frame`;
    const header = parseHeader(envelope, 0, envelope.length);
    if (!header) throw errors.NOT_SEALED({ what });
    if (header.version === 2) throw errors.METADATA_BOUND({ what });
    const key = keyOf(this.keys, header);
    if (!key) throw unknownKey(what, header);
    const body = header.size + nonceBytes(header.cipher);
    const bytes = Buffer.allocUnsafeSlow(envelope.length - header.least);
    const nonce = envelope.subarray(header.size, body);
    if (key.cipher(header.cipher).open(nonce, NOTHING, envelope.subarray(body), bytes, 0)) return bytes;
    throw errors.NOT_AUTHENTIC({ what, metadata: false });
  }
}
