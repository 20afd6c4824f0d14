import { describeError, isMqbError, type MqbError } from "@mqb/core/plugin";
import { type TlsConfig, tlsFailure } from "@mqb/tls";
import { kafkaErrors } from "./errors.ts";

/** Numbers of the errors that this package looks at; the protocol's own. */
export const CODE = {
  OFFSET_OUT_OF_RANGE: 1,
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  NOT_LEADER_OR_FOLLOWER: 6,
  REQUEST_TIMED_OUT: 7,
  REPLICA_NOT_AVAILABLE: 9,
  MESSAGE_TOO_LARGE: 10,
  COORDINATOR_LOAD_IN_PROGRESS: 14,
  COORDINATOR_NOT_AVAILABLE: 15,
  NOT_COORDINATOR: 16,
  INVALID_TOPIC: 17,
  RECORD_LIST_TOO_LARGE: 18,
  NOT_ENOUGH_REPLICAS: 19,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  INVALID_REQUIRED_ACKS: 21,
  ILLEGAL_GENERATION: 22,
  INCONSISTENT_GROUP_PROTOCOL: 23,
  INVALID_GROUP_ID: 24,
  UNKNOWN_MEMBER_ID: 25,
  INVALID_SESSION_TIMEOUT: 26,
  REBALANCE_IN_PROGRESS: 27,
  TOPIC_AUTHORIZATION_FAILED: 29,
  GROUP_AUTHORIZATION_FAILED: 30,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  INVALID_TIMESTAMP: 32,
  UNSUPPORTED_VERSION: 35,
  TOPIC_ALREADY_EXISTS: 36,
  NOT_CONTROLLER: 41,
  INVALID_REQUEST: 42,
  UNSUPPORTED_FOR_MESSAGE_FORMAT: 43,
  POLICY_VIOLATION: 44,
  OUT_OF_ORDER_SEQUENCE: 45,
  DUPLICATE_SEQUENCE: 46,
  INVALID_PRODUCER_EPOCH: 47,
  INVALID_TXN_STATE: 48,
  INVALID_PRODUCER_ID_MAPPING: 49,
  INVALID_TRANSACTION_TIMEOUT: 50,
  CONCURRENT_TRANSACTIONS: 51,
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 53,
  STORAGE_ERROR: 56,
  UNKNOWN_PRODUCER_ID: 59,
  FENCED_LEADER_EPOCH: 74,
  UNKNOWN_LEADER_EPOCH: 75,
  UNSUPPORTED_COMPRESSION: 76,
  OFFSET_NOT_AVAILABLE: 78,
  MEMBER_ID_REQUIRED: 79,
  GROUP_MAX_SIZE_REACHED: 81,
  FENCED_INSTANCE_ID: 82,
  INVALID_RECORD: 87,
  UNSTABLE_OFFSET_COMMIT: 88,
  PRODUCER_FENCED: 90,
} as const;

const NAMES = new Map<number, string>(Object.entries(CODE).map(([name, code]) => [code, name]));

/** `NOT_LEADER_OR_FOLLOWER`, or `error 123`. */
export function nameOf(code: number): string {
  return NAMES.get(code) ?? `error ${code}`;
}

/** The partition has moved to another broker, or moves now: ask who leads it and try there. Nothing was written. */
const MOVED: ReadonlySet<number> = new Set([
  CODE.UNKNOWN_TOPIC_OR_PARTITION,
  CODE.LEADER_NOT_AVAILABLE,
  CODE.NOT_LEADER_OR_FOLLOWER,
  CODE.REPLICA_NOT_AVAILABLE,
  CODE.STORAGE_ERROR,
  CODE.FENCED_LEADER_EPOCH,
  CODE.UNKNOWN_LEADER_EPOCH,
  CODE.OFFSET_NOT_AVAILABLE,
]);

export function hasMoved(code: number): boolean {
  return MOVED.has(code);
}

/** The broker has lost track of this producer, or we of what it has: nothing was written, a new identity mends it. */
const OUT_OF_STEP: ReadonlySet<number> = new Set([
  CODE.OUT_OF_ORDER_SEQUENCE,
  CODE.UNKNOWN_PRODUCER_ID,
  CODE.INVALID_PRODUCER_EPOCH,
]);

export function isOutOfStep(code: number): boolean {
  return OUT_OF_STEP.has(code);
}

/** The broker cannot say yet that the records are safe; it may have them. */
const UNSURE: ReadonlySet<number> = new Set([
  CODE.REQUEST_TIMED_OUT,
  CODE.NOT_ENOUGH_REPLICAS,
  CODE.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
]);

export function isUnsure(code: number): boolean {
  return UNSURE.has(code);
}

/** Codes that say that asking the same again changes nothing. */
const FINAL: ReadonlySet<number> = new Set([
  CODE.INVALID_TOPIC,
  CODE.INVALID_REQUIRED_ACKS,
  CODE.UNSUPPORTED_VERSION,
  CODE.INVALID_REQUEST,
  CODE.UNSUPPORTED_FOR_MESSAGE_FORMAT,
  CODE.POLICY_VIOLATION,
  CODE.INVALID_TRANSACTION_TIMEOUT,
  CODE.UNSUPPORTED_COMPRESSION,
]);

export function isFinal(code: number): boolean {
  return FINAL.has(code);
}

/** Somebody else has taken over the transactional id, or the broker has ended the transaction. */
export function isFenced(code: number): boolean {
  return code === CODE.INVALID_PRODUCER_EPOCH || code === CODE.PRODUCER_FENCED;
}

/** The `config` error of a refused right; undefined for any other code. */
export function refusal(code: number, what: string): MqbError | undefined {
  const known: readonly number[] = [
    CODE.TOPIC_AUTHORIZATION_FAILED,
    CODE.GROUP_AUTHORIZATION_FAILED,
    CODE.CLUSTER_AUTHORIZATION_FAILED,
    CODE.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
  ];
  return known.includes(code) ? kafkaErrors.NOT_ALLOWED({ what, reason: nameOf(code) }) : undefined;
}

export interface Peer {
  readonly target: string;
  readonly tls?: TlsConfig | undefined;
  readonly mechanism?: string | undefined;
}

/** What a failure to connect or to log in is to a route. */
export function connectFailure(error: unknown, peer: Peer): MqbError {
  if (isMqbError(error)) return error;
  const { target, mechanism } = peer;
  const handshake = tlsFailure(error, target, peer.tls);
  if (handshake) return handshake;
  const { name } = (error ?? {}) as { name?: unknown };
  if (name === "KafkaJSSASLAuthenticationError") {
    const reason = describeError(error);
    return kafkaErrors.NOT_LOGGED_IN({ target, mechanism: mechanism ?? "SASL", reason }, { cause: error });
  }
  return kafkaErrors.UNREACHABLE({ target, reason: describeError(error) }, { cause: error });
}
