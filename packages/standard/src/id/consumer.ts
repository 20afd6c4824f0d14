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
      const ids = batch.length > 0 ? idsOf(batch, template, context) : undefined;
      if (!ids) return delivery;
      const named = withMetadata(batch, (index) => {
        const id = ids[index];
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

/** By position; undefined = no message has one. */
function idsOf(batch: MessageBatch, template: Template, context: Context): (string | undefined)[] | undefined {
  const ids = new Array<string | undefined>(batch.length);
  let without = 0;
  for (let i = 0; i < batch.length; i++) {
    ids[i] = template.resolve(batch, i);
    if (ids[i] === undefined) without += 1;
  }
  if (without > 0) tell(without, context);
  return without < batch.length ? ids : undefined;
}

/** A warning once per route, since most sources bring such messages again and again. */
function tell(count: number, { log, route, session }: Context): void {
  const text = `${count} message(s) got no ${KEY}: a value of its template is not there`;
  if (session.has(WARNED)) log.debug(text, { route });
  else log.warn(text, { route });
  session.set(WARNED, true);
}
