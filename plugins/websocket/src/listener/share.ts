import type { OpenContext, Shared } from "@mqb/core/plugin";
import { readTls } from "@mqb/tls";
import { addressText, type ListenAddress } from "../address.ts";
import { websocketErrors } from "../errors.ts";
import type { WebSocketSettings } from "../schema.ts";
import { Listener } from "./listener.ts";

type Listening = Pick<WebSocketSettings, "tls" | "backlog">;

interface Held {
  readonly listener: Listener;
  /** What it was opened with; whoever shares it needs the same. */
  readonly settings: Readonly<Record<"tls" | "backlog", string>>;
}

/** The listener of an address, opened by whoever comes first. Throws a `config` error when it was opened otherwise. */
export async function shareListener(
  address: ListenAddress,
  { tls, backlog }: Listening,
  { share, clock, baseDir, path, route }: OpenContext,
): Promise<Shared<Listener>> {
  const text = addressText(address);
  const wanted = { ...tls, required: address.secure || tls?.required === true };
  const settings = { tls: JSON.stringify(Object.entries(wanted).sort()), backlog: String(backlog) };
  // Nobody can mean to share "any free port".
  const key = address.port === 0 ? `${text} of ${route} ${path}` : text;
  const held = await share<Held>(
    `websocket listener ${key}`,
    async () => {
      const place = { baseDir, path: `${path}.websocket.tls`, role: "listener" } as const;
      const { host, port } = address;
      const material = await readTls(wanted, place);
      return { listener: await Listener.open({ host, port, backlog, tls: material, clock }), settings };
    },
    ({ listener }) => listener.close(),
  );
  for (const field of ["tls", "backlog"] as const) {
    if (held.value.settings[field] === settings[field]) continue;
    await held.release();
    throw websocketErrors.LISTENER_DIFFERS({ address: text, field });
  }
  return { value: held.value.listener, release: () => held.release() };
}
