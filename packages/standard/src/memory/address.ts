import { IPC_SCHEMES, type IpcAddress, parseIpc } from "./ipc/address.ts";

/** What the `topic` of a memory endpoint stands for: an in-process topic, a place between processes, or why it is refused. */
export type Address =
  | { readonly topic: string; readonly ipc?: undefined }
  | { readonly topic: string; readonly ipc: IpcAddress }
  | { readonly refused: string };

/** `orders` and `memory://orders` are the same in-process topic; `ipc://`, `unix://`, `pipe://` lead to other processes. */
export function parseAddress(text: string, platform?: NodeJS.Platform): Address {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text);
  const token = /\$\{[A-Za-z_][\w.]*:[^}]*\}/.exec(text)?.[0];
  if (token !== undefined) return { refused: `the topic holds ${token}, but it is no template` };
  if (!url) return text === "" ? { refused: "the topic is empty" } : { topic: text };
  const scheme = url[1]!.toLowerCase();
  const rest = url[2]!;
  if (IPC_SCHEMES.includes(scheme)) {
    const ipc = parseIpc(text, scheme, rest, platform);
    return "refused" in ipc ? ipc : { topic: text, ipc };
  }
  if (scheme !== "memory") {
    return { refused: `cannot begin with ${scheme}://, as "${text}" does; use memory://, ipc://, unix:// or pipe://` };
  }
  return rest === "" ? { refused: `"${text}" names no topic` } : { topic: rest };
}
