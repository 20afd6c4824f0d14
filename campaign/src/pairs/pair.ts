import { fileURLToPath } from "node:url";
import type { FaultProxy } from "@mqb/testkit";
import type { Order } from "../ledger.ts";
import type { PrivateServer } from "../servers.ts";
import type { SmallDisk } from "../small-disk.ts";

/** Of the rows of a round, where brokers move them: enough that some are still to come when something happens. */
export const BROKER_SHARE = 0.4;

/** Where rows are put in: by a client that has nothing to do with the program under test. */
export interface SourceEnd {
  /** Resolves when the system has all of them, each once, or they are on their way there. */
  append(rows: readonly string[]): Promise<void>;
  /** Whether everything that was put in has been taken away, where that is not the end of a drain. */
  isEmpty?(): Promise<boolean>;
}

/** Where rows come out, looked at by a client that has nothing to do with the program under test. */
export interface SinkEnd {
  /** A number that grows with what has arrived. Cheap; asked for again and again. */
  progress(): Promise<number>;
  /** Everything that has arrived, in its order. */
  arrivals(): Promise<Iterable<string>>;
}

/** What can be made to go wrong. */
export interface Faults {
  /** Between the program and the system that it reads from. */
  readonly source?: FaultProxy;
  /** Between the program and the system that it writes to. */
  readonly sink?: FaultProxy;
  readonly servers: readonly PrivateServer[];
  /** Where the program keeps how far it has read. */
  readonly stateDisk?: SmallDisk;
}

/** Two ends and the route between them, set up for one campaign. */
export interface OpenPair {
  /** Package folders that the configuration lists. */
  readonly plugins: readonly string[];
  readonly input: object;
  readonly output: object;
  readonly inputMiddlewares?: readonly object[];
  readonly outputMiddlewares?: readonly object[];
  /** Of the route. */
  readonly concurrency: number;
  /** Of the rows that a round is planned with, for a pair that is slower than files [1]. */
  readonly share?: number;
  readonly source: SourceEnd;
  readonly sink: SinkEnd;
  readonly faults: Faults;
  readonly order: Order;
  /** False when no row may come twice, whatever happens. */
  readonly mayDouble: boolean;
  /** Rows that the ends themselves have made come twice: those that a source sent again, or a sink did not answer for. */
  doubledByEnds?(): number;
}

/** What a pair is set up in. */
export interface World {
  /** Of the campaign's own; gone afterwards. */
  readonly folder: string;
  /** Called in the end, the last one first, also when the pair could not be set up. */
  defer(undo: () => unknown): void;
}

export interface Pair {
  readonly name: string;
  /** What must be installed, by the names of `scripts/services`. */
  readonly needs: readonly string[];
  open(world: World): Promise<OpenPair>;
}

/** Where a plugin of this repository lies, built. */
export function pluginFolder(name: string): string {
  return fileURLToPath(new URL(`../../../plugins/${name}`, import.meta.url));
}
