import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closingBlocked } from "../src/connector/scenarios/closing-blocked.ts";
import { disturbed } from "../src/connector/scenarios/disturbed.ts";
import { handles } from "../src/connector/scenarios/handles.ts";
import { lostHandles } from "../src/connector/scenarios/lost-handles.ts";
import { manyMessages } from "../src/connector/scenarios/payloads.ts";
import { probing } from "../src/connector/scenarios/probes.ts";
import { reconnecting } from "../src/connector/scenarios/reconnecting.ts";
import { serverGone } from "../src/connector/scenarios/server-gone.ts";
import { sharing } from "../src/connector/scenarios/sharing.ts";
import { silentPeer } from "../src/connector/scenarios/silent-peer.ts";
import { statusNumbers } from "../src/connector/scenarios/status-numbers.ts";
import { type Address, type ConnectorFixture, type Runner, testConnector } from "../src/index.ts";
import { networkFaults } from "./faults/network-faults.ts";
import { wireFaults } from "./faults/wire-faults.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import { wirePlugin } from "./support/wire-connector.ts";
import { WireServer } from "./support/wire-server.ts";

const server = new WireServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

function fixture(more: Partial<ConnectorFixture> = {}): ConnectorFixture {
  let n = 0;
  return {
    async fresh() {
      const topic = `topic ${n++} ${Math.random()}`;
      const via = (address: Address) => ({ input: { topic, ...address }, output: { topic, ...address } });
      return { ...via(server.address), via };
    },
    // Known only when the server has started.
    get server() {
      return { host: "127.0.0.1", port: server.address.port };
    },
    restart: () => server.restart(),
    kill: () => server.restart(),
    shares: ["output"],
    ...more,
  };
}

const config = { topic: "any", host: "127.0.0.1", port: 1 };
const sides = { input: config, output: config };

// The whole suite is run with the connectors in memory; over TCP, what needs a connection.
const overTcp = [
  ...[...disturbed, ...reconnecting, ...serverGone, ...sharing, ...closingBlocked, lostHandles, ...handles],
  ...[manyMessages, ...probing, ...statusNumbers],
];
const names = new Set(overTcp.map((scenario) => scenario.name));
const runner: Runner = {
  describe,
  it(name, options, body) {
    if (names.has(name)) it(name, options, body);
  },
};

testConnector(runner, { plugin: wirePlugin(), endpoint: "wire", config: sides, fixture: fixture() });

// Heartbeats would end the connections that other scenarios let stand still.
const beating = { ...config, heartbeatMs: 100 };
testConnector(
  { describe, it: (name, options, body) => name === silentPeer.name && it(name, options, body) },
  {
    plugin: wirePlugin(),
    endpoint: "wire",
    config: { input: beating, output: beating },
    fixture: fixture({
      noticesSilence: true,
      async fresh() {
        const topic = `beating ${Math.random()}`;
        const via = (address: Address) => {
          const place = { topic, ...address, heartbeatMs: 100 };
          return { input: place, output: place };
        };
        return { ...via(server.address), via };
      },
    }),
  },
);

describe("the suite of connectors finds, over a bad connection,", () => {
  for (const [name, { scenario, fault, fixture: more }] of Object.entries({ ...wireFaults, ...networkFaults })) {
    it(`one that ${name}`, { timeout: 20_000 }, async () => {
      const captured = new CapturedRunner();
      const tested = { plugin: wirePlugin(fault), endpoint: "wire", config: sides };
      testConnector(captured, { ...tested, fixture: fixture({ patienceMs: 500, ...more }) });
      const found = captured.named(scenario);
      expect(found).toHaveLength(1);
      const failure = await captured.failure(found[0]!);
      expect(failure).toBeInstanceOf(Error);
    });
  }
});
