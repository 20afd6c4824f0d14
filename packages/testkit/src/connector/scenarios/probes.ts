import { deepEqual, ok } from "node:assert/strict";
import type { ProbeFinding, Side } from "@mqb/core/plugin";
import { checkConfig } from "../../fakes/check-config.ts";
import { FaultProxy } from "../../proxy/fault-proxy.ts";
import type { ConnectorLab } from "../lab.ts";
import { input, output, probes, server, stored, unless } from "../left-out.ts";
import { newResources } from "../resources.ts";
import { secretsOf } from "../secrets.ts";
import type { ConnectorScenario } from "../types.ts";

/** What `mqb doctor` asks of an endpoint that declares a `probe`. */
export const probing: readonly ConnectorScenario[] = [
  {
    name: "a probe of a source finds nothing wrong where messages wait, and takes none of them",
    leftOut: unless(probes, input, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      await findsNothingWrong(lab, "input");
      deepEqual((await lab.rest()).sort(), [0, 1, 2]);
    },
  },
  {
    name: "a probe of a sink finds nothing wrong, and writes nothing",
    leftOut: unless(probes, output, stored),
    async run(lab) {
      await lab.seed(lab.messages(1));
      await findsNothingWrong(lab, "output");
      deepEqual(await lab.stored(1), [0]);
    },
  },
  {
    name: "a probe of a source says that nobody answers, and does not fail",
    leftOut: unless(probes, input, server),
    run: (lab) => saysUnreachable(lab, "input"),
  },
  {
    name: "a probe of a sink says that nobody answers, and does not fail",
    leftOut: unless(probes, output, server),
    run: (lab) => saysUnreachable(lab, "output"),
  },
];

async function findsNothingWrong(lab: ConnectorLab, side: Side): Promise<void> {
  const findings = await probe(lab, side, lab.place[side]);
  ok(findings.length > 0, "it has found nothing, neither good nor bad");
  for (const { check, ok: fine, detail } of findings) ok(fine, `${check}: ${detail}`);
}

async function saysUnreachable(lab: ConnectorLab, side: Side): Promise<void> {
  if (!lab.place.via) throw new TypeError("a fixture with a server gives places with `via`");
  await using proxy = await FaultProxy.to(lab.tested.fixture.server!);
  const config = lab.place.via(proxy.address)[side];
  await proxy.refuse();
  const findings = await probe(lab, side, config);
  ok(
    findings.some((finding) => !finding.ok),
    "it has found nothing wrong with a server that refuses",
  );
}

async function probe(lab: ConnectorLab, side: Side, written: unknown): Promise<readonly ProbeFinding[]> {
  const { definition } = lab.subject;
  using opened = newResources();
  const config = checkConfig(definition.schema, written, side);
  const findings = await lab.soon(definition.probe!(config, lab.context(side)), "the probe");
  deepEqual(await opened.left(lab.patienceMs), [], "something is left open");
  const text = JSON.stringify(findings);
  for (const secret of secretsOf(definition.schema, written)) ok(!text.includes(secret), "a finding holds a secret");
  return findings;
}
