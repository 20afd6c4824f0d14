import type { Clock } from "@mqb/core/plugin";

/** Somebody at the other end of a connection, who may be gone without a word. */
export interface Peer {
  /** Something came since the last look. Set by the peer, cleared here. */
  heard: boolean;
  /** Nothing is read from it at the moment, so that nothing can be heard. */
  readonly unread: boolean;
  ping(): void;
  /** It did not answer. */
  lost(): void;
}

/** Pings peers in turn, and gives up those from which nothing came since the ping before. One timer for all. */
export class Heartbeat {
  private readonly clock: Clock;
  private readonly intervalMs: number;
  private readonly peers = new Set<Peer>();
  private cancel: (() => void) | undefined;

  /** 0 = never. */
  constructor(clock: Clock, intervalMs: number) {
    this.clock = clock;
    this.intervalMs = intervalMs;
  }

  add(peer: Peer): void {
    this.peers.add(peer);
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
    for (const peer of this.peers) {
      if (peer.heard || peer.unread) {
        peer.heard = false;
        peer.ping();
      } else {
        peer.lost();
      }
    }
    if (this.peers.size > 0) this.cancel ??= this.clock.timer(this.intervalMs, this.look);
  };
}
