import type { Consumer, MessageBatch, OpenContext } from "@mqb/core/plugin";
import { withMetadata } from "../batch/with-metadata.ts";
import type { Template } from "../template/template.ts";
import { wrapConsumer } from "../wrap.ts";

const KEY = "mqb.id";
const WARNED = "id warned";

type Context = Pick<OpenContext, "log" | "route" | "session">;

/** Sets the metadata `mqb.id` of each message that has every value of the template. */
export function idConsumer(inner: Consumer, template: Template, context: Context): Consumer {
  return wrapConsumer(inner, {
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      const { batch } = delivery;
      const idOf = batch.length > 0 ? idsOf(batch, template, context) : undefined;
      if (!idOf) return delivery;
      const named = withMetadata(batch, (index) => {
        const id = idOf(index);
        return id === undefined ? undefined : new Map(batch.metadata(index)).set(KEY, id);
      });
      return {
        batch: named,
        commit: (dispositions) => delivery.commit(dispositions),
        release: () => delivery.release?.(),
      };
    },
  });
}

/**
 * Gives the id of a message by its position; undefined = no message has one. Where it is the same whenever it is made,
 * that is when somebody asks.
 */
function idsOf(
  batch: MessageBatch,
  template: Template,
  context: Context,
): ((index: number) => string | undefined) | undefined {
  const later = template.repeatable;
  const ids = later ? undefined : new Array<string | undefined>(batch.length);
  let without = 0;
  for (let i = 0; i < batch.length; i++) {
    if (ids) ids[i] = template.resolve(batch, i);
    if (ids ? ids[i] === undefined : !template.resolves(batch, i)) without += 1;
  }
  if (without > 0) tell(without, context);
  if (without === batch.length) return undefined;
  return (index) => (ids ? ids[index] : template.resolve(batch, index));
}

/** A warning once per route, since most sources bring such messages again and again. */
function tell(count: number, { log, route, session }: Context): void {
  const text = `${count} message(s) got no ${KEY}: a value of its template is not there`;
  if (session.has(WARNED)) log.debug(text, { route });
  else log.warn(text, { route });
  session.set(WARNED, true);
}
