import { ACCEPTED, failed, type OpenContext, type Outcome, type Publisher, replied } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { closing } from "./closing.ts";
import type { EndpointHooks } from "./endpoint.ts";
import { isMessage, nameOf } from "./hooks.ts";

type Hooks = EndpointHooks & Required<Pick<EndpointHooks, "sendBatch">>;

export function hookPublisher(hooks: Hooks, { path }: Pick<OpenContext, "path">): Publisher {
  const closed = closing(hooks);
  return {
    async send(batch, signal) {
      if (batch.length === 0) return undefined;
      const returned: unknown = await hooks.sendBatch([...batch], signal);
      if (returned === undefined || returned === null) return undefined;
      if (!Array.isArray(returned) || returned.length !== batch.length) {
        const got = Array.isArray(returned) ? `${returned.length} entries` : nameOf(returned);
        const wanted = `nothing, or one entry for each of ${batch.length} messages`;
        throw errors.HOOK_RESULT({ path, hook: "sendBatch", got, wanted });
      }
      return returned.map((entry) => outcomeOf(entry, path));
    },
    close: closed.close,
    status: () => ({ healthy: true, target: path }),
  };
}

function outcomeOf(entry: unknown, path: string): Outcome {
  if (entry === undefined || entry === null) return ACCEPTED;
  if (isMessage(entry)) return replied(entry);
  if (entry instanceof Error) return failed(entry);
  throw errors.HOOK_RESULT({ path, hook: "sendBatch", got: nameOf(entry), wanted: "errors, answers, or nothing" });
}
