import type { Runner } from "../runner.ts";
import { registerSuite } from "../suite.ts";
import { declared } from "./declared.ts";
import { ConnectorLab } from "./lab.ts";
import { acks } from "./scenarios/acks.ts";
import { backPressure } from "./scenarios/back-pressure.ts";
import { badConfig } from "./scenarios/bad-config.ts";
import { batches } from "./scenarios/batches.ts";
import { closing } from "./scenarios/closing.ts";
import { closingBlocked } from "./scenarios/closing-blocked.ts";
import { commitOrder } from "./scenarios/commit-order.ts";
import { crashes } from "./scenarios/crashes.ts";
import { disturbed } from "./scenarios/disturbed.ts";
import { draining } from "./scenarios/draining.ts";
import { duplicates } from "./scenarios/duplicates.ts";
import { earlyCommit } from "./scenarios/early-commit.ts";
import { handlers } from "./scenarios/handlers.ts";
import { handles } from "./scenarios/handles.ts";
import { headerKinds } from "./scenarios/header-kinds.ts";
import { idleClients } from "./scenarios/idle-clients.ts";
import { ids } from "./scenarios/ids.ts";
import { keyOrder } from "./scenarios/key-order.ts";
import { liveDrain } from "./scenarios/live-drain.ts";
import { lostHandles } from "./scenarios/lost-handles.ts";
import { metadata } from "./scenarios/metadata.ts";
import { nacks } from "./scenarios/nacks.ts";
import { manyMessages, payloads } from "./scenarios/payloads.ts";
import { probing } from "./scenarios/probes.ts";
import { publishing } from "./scenarios/publishing.ts";
import { receiveLimit } from "./scenarios/receive-limit.ts";
import { reconnecting } from "./scenarios/reconnecting.ts";
import { refusedAtOnce } from "./scenarios/refused-at-once.ts";
import { replies } from "./scenarios/replies.ts";
import { serverGone } from "./scenarios/server-gone.ts";
import { sharing } from "./scenarios/sharing.ts";
import { signals } from "./scenarios/signals.ts";
import { silentPeer } from "./scenarios/silent-peer.ts";
import { stalledSink } from "./scenarios/stalled-sink.ts";
import { status } from "./scenarios/status.ts";
import { statusNumbers } from "./scenarios/status-numbers.ts";
import type { ConnectorScenario, ConnectorUnderTest } from "./types.ts";

export const connectorScenarios: readonly ConnectorScenario[] = [
  ...payloads,
  manyMessages,
  ...metadata,
  ...headerKinds,
  ...ids,
  ...batches,
  receiveLimit,
  ...acks,
  ...nacks,
  ...crashes,
  ...commitOrder,
  ...keyOrder,
  earlyCommit,
  ...draining,
  liveDrain,
  ...handlers,
  ...publishing,
  duplicates,
  ...replies,
  ...closing,
  ...closingBlocked,
  ...idleClients,
  ...signals,
  ...status,
  ...statusNumbers,
  ...badConfig,
  refusedAtOnce,
  ...probing,
  ...handles,
  lostHandles,
  ...backPressure,
  stalledSink,
  ...disturbed,
  silentPeer,
  ...sharing,
  ...serverGone,
  ...reconnecting,
];

/**
 * Registers the conformance suite of connectors: endpoints that talk to a system. Which scenarios run follows from the
 * capabilities that the endpoint declares for `config`, and from what the fixture can do; the others stay visible as
 * `left out: …` with the reason.
 */
export function testConnector(runner: Runner, tested: ConnectorUnderTest): void {
  const subject = declared(tested, tested.config);
  let found: Promise<typeof subject> | undefined;
  registerSuite(runner, {
    title: `connector ${tested.endpoint}`,
    subject,
    scenarios: connectorScenarios,
    timeoutMs: tested.fixture.timeoutMs ?? 60_000,
    lab: () => ConnectorLab.open(tested, subject),
    found: () => (found ??= declaredByFresh(tested)),
  });
}

/** What a configuration of the fixture declares: the suite must not be run with one that claims less. */
async function declaredByFresh(tested: ConnectorUnderTest): Promise<ReturnType<typeof declared>> {
  const place = await tested.fixture.fresh();
  const { input, output } = tested.config;
  try {
    return declared(tested, {
      ...(input !== undefined && { input: place.input }),
      ...(output !== undefined && { output: place.output }),
    });
  } finally {
    await place.cleanup?.();
  }
}
