import {
  type CheckContext,
  type Checkpoint,
  type CheckpointContext,
  type Consumer,
  defineEndpoint,
  type Finding,
  type InputCapabilities,
  type OpenContext,
  type ResolvedChild,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { probeNothing } from "../structural/probe.ts";
import { kindsOf, type SequenceSettings, sequenceSchema } from "./config.ts";
import { SequenceConsumer } from "./consumer.ts";
import { Marker } from "./marker.ts";

export const sequence = defineEndpoint({
  description: "Reads several inputs one after another; the last one until the route stops",
  schema: sequenceSchema,
  structural: true,
  input: {
    capabilities: (_, { children }) => capabilitiesOf(children),
    open,
  },
  checkpoint,
  probe: probeNothing,
  children: ({ endpoints }) =>
    endpoints.map((endpoint, index) => ({ path: `endpoints[${index}]`, side: "input", endpoint })),
  check,
});

/** Promises what every phase promises, asks for what one of them asks for. */
function capabilitiesOf(children: readonly ResolvedChild[]): InputCapabilities {
  const all = children.map((child) => child.input).filter((one) => one !== undefined);
  return {
    acknowledges: all.every((one) => one.acknowledges),
    takesBack: all.every((one) => one.takesBack ?? one.acknowledges),
    commitsInOrder: all.some((one) => one.commitsInOrder),
    replies: all.every((one) => one.replies),
    stableIds: all.every((one) => one.stableIds),
    replayablePosition: all.every((one) => one.replayablePosition),
    positions: all.every((one) => one.positions ?? one.replayablePosition),
    // It tells the end of its phases itself: a silence of the one that is read is not the end of the whole.
    bounded: true,
  };
}

/** What outlives a reconnect of the route: the phase that was reached. */
const PHASE = "sequence phase";

async function open(settings: SequenceSettings, context: OpenContext): Promise<Consumer> {
  const { endpoints } = settings;
  const { route, path, clock, log, session, draining, accounting } = context;
  const openPhase = (phase: number): Promise<Consumer> =>
    context.openConsumer(endpoints[phase], `endpoints[${phase}]`, {
      draining: draining || phase < endpoints.length - 1,
    });
  const reached = async (phase: number): Promise<void> => {
    await withMarker(settings, context, (marker) => marker.write(phase));
    session.set(PHASE, phase);
  };
  const stored = await withMarker(settings, context, (marker) => marker.read());
  const phase = (session.get(PHASE) as number | undefined) ?? stored ?? 0;
  // Before anything is read: what the later ones would miss meanwhile is theirs from here on.
  for (let later = phase + 1; later < endpoints.length; later++) {
    await context.pin(endpoints[later], `endpoints[${later}]`);
  }
  const returns = (): number => accounting.returns;
  const phases = endpoints.length;
  const setup = { phases, open: openPhase, reached, returns, route, path: `${path}.sequence`, clock, log };
  return new SequenceConsumer(setup, phase, await openPhase(phase));
}

type StoreContext = Pick<OpenContext, "openStore">;

/** The store is open only while it is asked: once a phase. */
async function withMarker<T>(
  settings: SequenceSettings,
  context: StoreContext,
  act: (marker: Marker) => Promise<T>,
): Promise<T | undefined> {
  const { cursor_id: id, checkpoint_store: url } = settings;
  if (id == null || url == null) return undefined;
  const marker = new Marker(await context.openStore(url), id, kindsOf(settings));
  try {
    return await act(marker);
  } finally {
    await marker.close();
  }
}

function checkpoint(settings: SequenceSettings, context: CheckpointContext): Checkpoint | undefined {
  const { cursor_id: id, checkpoint_store: url, endpoints } = settings;
  if (id == null || url == null) return undefined;
  const last = endpoints.length - 1;
  return {
    source: `sequence:${id}`,
    async read() {
      const phase = await withMarker(settings, context, (marker) => marker.read());
      return phase === undefined ? undefined : { value: `int:${phase}` };
    },
    async write(value) {
      const [, digits] = /^(?:int:)?(\d{1,9})$/.exec(value) ?? [];
      const phase = Number(digits);
      if (digits === undefined || phase > last) throw errors.SEQUENCE_POSITION({ value, last });
      await withMarker(settings, context, (marker) => marker.write(phase));
    },
    async clear() {
      await withMarker(settings, context, (marker) => marker.clear());
    },
  };
}

function check({ cursor_id: id, checkpoint_store: url }: SequenceSettings, { children }: CheckContext): Finding[] {
  const found = children.flatMap(({ input, type }, phase): Finding[] => {
    const setting = input?.forgetsWith;
    if (phase === 0 || setting === undefined) return [];
    const message = `\`${setting}\` of ${type} cannot be used behind another phase: a restart would miss what changed while that one was read`;
    const path = ["endpoints", phase, type, setting];
    return [{ level: "error", path, code: "MQB_STANDARD_SEQUENCE_FORGETS", message, hint: `set ${setting}: false` }];
  });
  if ((id == null) === (url == null)) return found;
  const [has, needs] = url == null ? ["cursor_id", "checkpoint_store"] : ["checkpoint_store", "cursor_id"];
  const message = `\`${has}\` of a sequence has no effect without \`${needs}\`: every restart begins with the first phase`;
  return [
    ...found,
    { level: "warning", path: [has!], code: "MQB_STANDARD_SEQUENCE_HALF", message, hint: `set \`${needs}\`` },
  ];
}
