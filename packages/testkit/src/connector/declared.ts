import { createBridge, createRegistry } from "@mqb/core";
import type { InputCapabilities, OutputCapabilities, Side } from "@mqb/core/plugin";
import { CollectingPublisher } from "../fakes/collecting-publisher.ts";
import { fakePlugin } from "../fakes/plugin.ts";
import { ScriptedConsumer } from "../fakes/scripted-consumer.ts";
import type { ConnectorSubject, ConnectorUnderTest, SideConfigs } from "./types.ts";

/** What the endpoint declares for these configurations, as a route reads it. Throws when they are refused. */
export function declared(tested: ConnectorUnderTest, configs: SideConfigs): ConnectorSubject {
  const definition = tested.plugin.endpoints?.[tested.endpoint];
  if (!definition) throw new TypeError(`${tested.plugin.name} has no endpoint "${tested.endpoint}"`);
  const input = configs.input === undefined ? undefined : capabilities(tested, configs.input, "input");
  const output = configs.output === undefined ? undefined : capabilities(tested, configs.output, "output");
  if (!input && !output) throw new TypeError(`the test of "${tested.endpoint}" configures neither input nor output`);
  return { definition, fixture: tested.fixture, ...(input && { input }), ...(output && { output }) };
}

function capabilities(tested: ConnectorUnderTest, config: unknown, side: "input"): InputCapabilities;
function capabilities(tested: ConnectorUnderTest, config: unknown, side: "output"): OutputCapabilities;
function capabilities(tested: ConnectorUnderTest, config: unknown, side: Side): InputCapabilities | OutputCapabilities {
  const other = fakePlugin({
    testkit_source: { consumer: () => new ScriptedConsumer(), input: { positions: true } },
    testkit_sink: { publisher: () => new CollectingPublisher() },
  });
  const bridge = createBridge({ registry: createRegistry([tested.plugin, ...(tested.plugins ?? []), other]) });
  const { plan, problems } = bridge.check("test", {
    input: { testkit_source: {} },
    output: { testkit_sink: {} },
    [side]: { [tested.endpoint]: config },
  });
  const found = side === "input" ? plan?.input.input : plan?.output.output;
  if (found) return found;
  const reasons = problems.map((problem) => `${problem.path.join(".")}: ${problem.message}`);
  throw new TypeError(
    `the ${side} configuration of the test of "${tested.endpoint}" is refused: ${reasons.join("; ")}`,
  );
}
