import type {
  EndpointDefinition,
  InputCapabilities,
  MaybePromise,
  Message,
  OpenContext,
  OutputCapabilities,
  Plugin,
  Side,
} from "@mqb/core/plugin";
import type { Address } from "../proxy/fault-proxy.ts";
import type { Scenario } from "../suite.ts";
import type { ConnectorLab } from "./lab.ts";

/** What `testConnector` needs to know of an endpoint that talks to a system. */
export interface ConnectorUnderTest {
  readonly plugin: Plugin;
  /** The endpoint's key in the plugin. */
  readonly endpoint: string;
  /**
   * Configurations of both sides, as a user writes them. Only the declared capabilities are read from them; the tests
   * open what `fixture.fresh` gives. A side that is left out is not tested.
   */
  readonly config: SideConfigs;
  readonly fixture: ConnectorFixture;
  /** Plugins of nested endpoints and stores that the configurations name. */
  readonly plugins?: readonly Plugin[];
}

export interface SideConfigs {
  readonly input?: unknown;
  readonly output?: unknown;
}

/** How the suite gets at the system. */
export interface ConnectorFixture {
  /** A topic, table, folder, … that nobody has used; called for every test. */
  readonly fresh: () => Promise<Place>;
  /** Message number `n`, where the format holds only certain payloads [payload `message <n>`, metadata `n`]. */
  readonly message?: (n: number) => Message;
  /** The number of a message that was received; the inverse of `message` [read from the payload]. */
  readonly identify?: (message: Message) => number;
  /** What the format or system cannot hold, where it is a property of the system and not of the connector. */
  readonly holds?: Holds;
  /** Messages that are sent while nobody reads are lost or refused (a socket, an HTTP server) [false]. */
  readonly live?: boolean;
  /** A message that the sink refuses while it takes others. */
  readonly refused?: () => Message;
  /** A place that holds only `capacity` messages: a send beyond them has to wait for a reader. */
  readonly narrow?: { readonly capacity: number; readonly fresh: () => Promise<Place> };
  /** Configurations that must be refused: by the schema, by `check`, or with a `config` error when opened. */
  readonly bad?: readonly BadConfig[];
  /** Where an open source of this place waits for clients; unlocks what clients do that say nothing. */
  readonly listens?: (place: Place) => MaybePromise<Address>;
  /** Where the server listens; with `Place.via` it unlocks the scenarios that disturb the connection. */
  readonly server?: Address;
  /** Stops and starts the server; resolves when it takes connections again. */
  readonly restart?: () => Promise<void>;
  /** Kills the server as a crash does (SIGKILL) and starts it again; resolves when it takes connections again. */
  readonly kill?: () => Promise<void>;
  /** The source finds out by itself, within `patienceMs`, that its peer is gone without a word (heartbeats) [false]. */
  readonly noticesSilence?: boolean;
  /** Gives a message a key, where the system keeps the order of each key. The message stays what it is otherwise. */
  readonly keyed?: (message: Message, key: string) => Message;
  /** Sides that share one connection with others of the same settings [none]. */
  readonly shares?: readonly Side[];
  /** `pending` of the source's status is the number of messages that wait [false]. */
  readonly counts?: boolean;
  /** How long the system may take to give or take a few messages, redelivery included, in milliseconds [10000]. */
  readonly patienceMs?: number;
  /** Longest duration of one test in milliseconds [60000]. */
  readonly timeoutMs?: number;
}

/** What a system keeps of a message. Everything is true unless it is said to be false. */
export interface Holds {
  readonly empty?: boolean;
  /** Any bytes; false: text only. */
  readonly bytes?: boolean;
  /** Line breaks, quotes, NUL and other characters that formats like to use for themselves. */
  readonly oddCharacters?: boolean;
  /** Payloads of a mebibyte. */
  readonly large?: boolean;
  readonly metadata?: boolean;
  /** Metadata values beyond printable ASCII. */
  readonly oddMetadata?: boolean;
  /** The case of metadata names; false: they arrive in lower case. */
  readonly metadataCase?: boolean;
  /** Spaces at both ends of metadata values. */
  readonly metadataSpaces?: boolean;
  /** The id that a message was sent with. */
  readonly ids?: boolean;
}

/**
 * One test's own part of the system. Input and output name the same topic, table, folder, … The `context` of its
 * functions belongs to the test: endpoints opened through it share `local` and `share` with those that are tested.
 */
export interface Place extends SideConfigs {
  /** Puts messages where the input finds them [through the output]. Needed where there is no output. */
  seed?(messages: readonly Message[], context: OpenContext): Promise<void>;
  /** Everything that the output has put there, in order [through the input]. Needed where there is no input. */
  read?(context: OpenContext): Promise<readonly Message[]>;
  /** Sends a message as somebody outside would and waits for the reply [through the output, where it can reply]. */
  request?(message: Message, context: OpenContext): Promise<Message>;
  /** The folder that the place is, where it is one: after close no file in it may be open. */
  readonly folder?: string;
  /** The same configurations, connecting to another address. */
  via?(address: Address): SideConfigs;
  cleanup?(): MaybePromise<void>;
}

export interface BadConfig {
  readonly name: string;
  readonly side: "input" | "output";
  readonly config: unknown;
}

/** What is tested and what it declares. */
export interface ConnectorSubject {
  readonly definition: EndpointDefinition;
  readonly fixture: ConnectorFixture;
  /** Absent when the side is not tested. */
  readonly input?: InputCapabilities;
  readonly output?: OutputCapabilities;
}

export type ConnectorScenario = Scenario<ConnectorSubject, ConnectorLab>;
