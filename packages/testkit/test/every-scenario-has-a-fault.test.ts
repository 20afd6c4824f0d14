import { describe, expect, it } from "vitest";
import { connectorScenarios } from "../src/connector/index.ts";
import { inputScenarios, outputScenarios, routeScenarios } from "../src/middleware/index.ts";
import { storeScenarios } from "../src/store/index.ts";
import { ackFaults } from "./faults/ack-faults.ts";
import { closeFaults } from "./faults/close-faults.ts";
import { inputFaults } from "./faults/middleware-input-faults.ts";
import { outputFaults } from "./faults/middleware-output-faults.ts";
import { routeFaults } from "./faults/middleware-route-faults.ts";
import { networkFaults } from "./faults/network-faults.ts";
import { drainFaults, orderFaults } from "./faults/order-faults.ts";
import { batchFaults, payloadFaults } from "./faults/payload-faults.ts";
import { publishFaults, replyFaults } from "./faults/publish-faults.ts";
import { pressureFaults, stateFaults } from "./faults/state-faults.ts";
import { storeFaults } from "./faults/store-faults.ts";
import { wholeFaults } from "./faults/whole-faults.ts";
import { wireFaults } from "./faults/wire-faults.ts";

/** A scenario that nothing has ever failed may be one that cannot fail. */
describe("every scenario is known to find a fault", () => {
  const connectorFaults = {
    ...payloadFaults,
    ...batchFaults,
    ...ackFaults,
    ...orderFaults,
    ...drainFaults,
    ...publishFaults,
    ...replyFaults,
    ...closeFaults,
    ...stateFaults([]),
    ...pressureFaults,
    ...wireFaults,
    ...networkFaults,
    ...wholeFaults,
  };

  it.each([
    ["connectors", connectorScenarios, connectorFaults],
    ["middlewares on an input", inputScenarios, inputFaults],
    ["middlewares on an output", outputScenarios, outputFaults],
    ["middlewares in a route", routeScenarios, routeFaults],
    ["state stores", storeScenarios, storeFaults],
  ] as const)("of %s", (_, scenarios, faults) => {
    const found = Object.values(faults).map(({ scenario }) => scenario.replace(/^on an (in|out)put > /, ""));
    const unproven = scenarios.map(({ name }) => name).filter((name) => !found.some((part) => name.includes(part)));
    expect(unproven).toEqual([]);
  });
});
