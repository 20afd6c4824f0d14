import type { Duplex } from "node:stream";
import type { Clock } from "@mqb/core/plugin";

/** Our own ping is no sign of life, with what TLS adds to it. */
const PING_BYTES = 256;

/** Somebody at the other end of a connection, who may be gone without a word. */
export interface Peer {
  /** Something came since the last look. Set by the peer, cleared here. */
  heard: boolean;
  /**
   * Bytes that came from it and that the system has taken for it. A peer that is only slow moves them, also while its
   * pongs stand behind a long message, or our pings behind what it has not read.
   */
  readonly moved: number;
  /** Nothing is read from it at the moment, so that nothing can be heard. */
  readonly unread: boolean;
  ping(): void;
  /** It did not answer. */
  lost(): void;
}

/** Pings peers in turn, and gives up those from which nothing came, and which took nothing, since the ping before. One timer for all. */
export class Heartbeat {
  private readonly clock: Clock;
  private readonly intervalMs: number;
  /** With what each had moved at the last look. */
  private readonly peers = new Map<Peer, number>();
  private cancel: (() => void) | undefined;

  /** 0 = never. */
  constructor(clock: Clock, intervalMs: number) {
    this.clock = clock;
    this.intervalMs = intervalMs;
  }

  add(peer: Peer): void {
    this.peers.set(peer, peer.moved);
    if (this.intervalMs > 0) this.cancel ??= this.clock.timer(this.intervalMs, this.look);
  }

  remove(peer: Peer): void {
    this.peers.delete(peer);
    if (this.peers.size === 0) this.stop();
  }

  private stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private readonly look = (): void => {
    this.cancel = undefined;
    for (const [peer, before] of this.peers) {
      const { moved } = peer;
      if (peer.heard || peer.unread || moved - before > PING_BYTES) {
        peer.heard = false;
        peer.ping();
        this.peers.set(peer, peer.moved);
      } else {
        peer.lost();
      }
    }
    if (this.peers.size > 0) this.cancel ??= this.clock.timer(this.intervalMs, this.look);
  };
}

/**
 * What went through a socket, both ways. A long write is one to the streams of Node, and only its handle knows how much of it is
 * done; without one, what is written as a whole counts.
 */
export function movedBytes(stream: Duplex): number {
  const { bytesRead = 0, bytesWritten = 0, writableLength, _handle: handle } = stream as Duplex & HasHandle;
  const { bytesWritten: given, writeQueueSize: waiting } = handle ?? {};
  const taken = given === undefined || waiting === undefined ? bytesWritten - writableLength : given - waiting;
  return bytesRead + taken;
}

interface HasHandle {
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}
