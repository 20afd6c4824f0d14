/** What the `topic` of a memory endpoint stands for: an in-process topic, or why it is refused. */
export type Address = { readonly topic: string } | { readonly refused: string };

const IPC = ["ipc", "unix", "pipe"];

/** `orders` and `memory://orders` are the same in-process topic. */
export function parseAddress(text: string): Address {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text);
  const token = /\$\{[A-Za-z_][\w.]*:[^}]*\}/.exec(text)?.[0];
  if (token !== undefined) return { refused: `the topic holds ${token}, but it is no template` };
  if (!url) return text === "" ? { refused: "the topic is empty" } : { topic: text };
  const scheme = url[1]!.toLowerCase();
  const name = url[2]!;
  if (IPC.includes(scheme))
    return { refused: `"${text}": the IPC transport (${scheme}://) comes with a later version` };
  if (scheme !== "memory") return { refused: `"${text}": ${scheme}:// is no transport; known is memory://` };
  return name === "" ? { refused: `"${text}" names no topic` } : { topic: name };
}
