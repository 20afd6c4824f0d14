import type { Side } from "@mqb/core/plugin";
import type { ConnectorSubject, Holds } from "./types.ts";

/** Why a scenario does not apply, or undefined. The first of several reasons counts. */
type Reason = (subject: ConnectorSubject) => string | undefined;

export function unless(...needs: readonly Reason[]): Reason {
  return (subject) => {
    for (const need of needs) {
      const reason = need(subject);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

export const probes: Reason = (s) => (s.definition.probe ? undefined : "the endpoint declares no probe");
export const input: Reason = (s) => (s.input ? undefined : "no input is tested");
export const output: Reason = (s) => (s.output ? undefined : "no output is tested");

export const acknowledges: Reason = (s) =>
  input(s) ?? (s.input!.acknowledges ? undefined : "the source does not acknowledge");
/** What is nacked comes again while the process lives. */
export const takesBack: Reason = (s) =>
  input(s) ?? ((s.input!.takesBack ?? s.input!.acknowledges) ? undefined : "the source takes nothing back");
export const commitsInOrder: Reason = (s) =>
  input(s) ?? (s.input!.commitsInOrder ? undefined : "the source takes commits in any order");
export const anyCommitOrder: Reason = (s) =>
  input(s) ?? (s.input!.commitsInOrder ? "the source takes commits in order only" : undefined);
export const stableIds: Reason = (s) => input(s) ?? (s.input!.stableIds ? undefined : "the source has no stable ids");
export const sourceReplies: Reason = (s) => input(s) ?? (s.input!.replies ? undefined : "the source takes no replies");
export const sourceTakesNoReplies: Reason = (s) =>
  input(s) ?? (s.input!.replies ? "the source takes replies" : undefined);
export const sinkTakesNoReplies: Reason = (s) => output(s) ?? (s.output!.replies ? "the sink replies" : undefined);
export const bounded: Reason = (s) => input(s) ?? (s.input!.bounded ? undefined : "the source has no end");

export const sinkAcknowledges: Reason = (s) =>
  output(s) ?? (s.output!.acknowledges ? undefined : "the sink does not acknowledge");
export const unordered: Reason = (s) =>
  output(s) ?? (s.output!.orderedPublish ? "the sink takes one send at a time" : undefined);
export const idempotent: Reason = (s) => output(s) ?? (s.output!.idempotent ? undefined : "the sink is not idempotent");

export const stored: Reason = (s) => (s.fixture.live ? "the system keeps nothing while nobody reads" : undefined);

export const holds =
  (what: keyof Holds): Reason =>
  (s) =>
    s.fixture.holds?.[what] === false ? `the system does not hold ${WORDS[what]}` : undefined;

const WORDS: Record<keyof Holds, string> = {
  empty: "empty payloads",
  bytes: "arbitrary bytes",
  oddCharacters: "every character",
  large: "large payloads",
  metadata: "metadata",
  oddMetadata: "arbitrary metadata",
  metadataCase: "the case of metadata names",
  metadataSpaces: "spaces at the ends of metadata values",
  ids: "ids",
};

export const server: Reason = (s) =>
  s.fixture.server ? undefined : "the fixture names no server to put a proxy before";
export const restart: Reason = (s) => (s.fixture.restart ? undefined : "the fixture cannot restart the server");
export const kill: Reason = (s) => (s.fixture.kill ? undefined : "the fixture cannot kill the server");
export const noticesSilence: Reason = (s) =>
  s.fixture.noticesSilence ? undefined : "the fixture does not say that the source looks after its peer";
export const keyed: Reason = (s) => (s.fixture.keyed ? undefined : "the fixture makes no messages with keys");
export const counts: Reason = (s) =>
  s.fixture.counts ? undefined : "the fixture does not say that the source counts what waits";
export const shares =
  (side: Side): Reason =>
  (s) =>
    s.fixture.shares?.includes(side) ? undefined : `the fixture does not say that an ${side} shares its connection`;
/** Some scenarios need payloads that the suite chooses. */
export const ownPayloads: Reason = (s) => (s.fixture.message ? "the fixture makes its own payloads" : undefined);
export const narrow: Reason = (s) =>
  output(s) ?? input(s) ?? (s.fixture.narrow ? undefined : "the fixture has no place with a small capacity");
export const listens: Reason = (s) =>
  s.fixture.listens ? undefined : "the fixture names no address that the source listens at";
export const refusal: Reason = (s) =>
  output(s) ?? (s.fixture.refused ? undefined : "the fixture makes no message that the sink refuses");
export const badConfigs: Reason = (s) => (s.fixture.bad?.length ? undefined : "the fixture names no bad configuration");
