/** Where messages pass between processes: a socket file, a name that stands for one, or a named pipe of Windows. */
export type IpcAddress = { readonly url: string } & (
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "pipe"; readonly path: string }
);

export const IPC_SCHEMES: readonly string[] = ["ipc", "unix", "pipe"];

/** Most bytes of a socket's path: the system keeps it in a field of this length, with a NUL at its end. */
export function longestPath(platform: NodeJS.Platform): number {
  return (platform === "linux" || platform === "android" ? 108 : 104) - 1;
}

/** Reads what stands behind `ipc://`, `unix://` or `pipe://`. `refused` says why it cannot be used. */
export function parseIpc(
  url: string,
  scheme: string,
  rest: string,
  platform: NodeJS.Platform = process.platform,
): IpcAddress | { readonly refused: string } {
  const windows = platform === "win32";
  const refuse = (reason: string) => ({ refused: `"${url}": ${reason}` });
  if (rest === "") return refuse(`${scheme}:// needs a name behind it`);
  if (rest.includes("\0")) return refuse("a name cannot hold NUL");
  if (scheme === "pipe") {
    if (!windows) return refuse(`pipe:// is a named pipe of Windows, and this is ${platform}; use ipc://`);
    if (/[\\/]/.test(rest)) return refuse("the name of a pipe cannot hold a slash or backslash");
    return { url, kind: "pipe", path: `\\\\.\\pipe\\${rest}` };
  }
  if (rest.startsWith("/")) {
    if (windows)
      return refuse(`socket files work on Unix only, and this is ${platform}; use ipc://NAME or pipe://NAME`);
    if (rest.endsWith("/")) return refuse("it names a folder, not a socket file");
    const bytes = Buffer.byteLength(rest);
    const limit = longestPath(platform);
    if (bytes > limit) return refuse(`the path of a socket has at most ${limit} bytes, and this one has ${bytes}`);
    return { url, kind: "path", path: rest };
  }
  if (scheme === "unix") {
    if (windows) return refuse(`unix:// works on Unix only, and this is ${platform}; use ipc://NAME or pipe://NAME`);
    return refuse(`the path must be absolute: unix:///${rest.replace(/^(\.?\/)+/, "")}`);
  }
  if (rest.split(/[\\/]/).some((part) => part === ".." || part === "." || part === "")) {
    return refuse(
      'a name cannot hold "..", "." or empty parts; an absolute path has three slashes: ipc:///run/app/q.sock',
    );
  }
  if (!windows) return { url, kind: "name", name: rest };
  if (/[\\/]/.test(rest)) return refuse("on Windows a name cannot hold a slash or backslash");
  return { url, kind: "pipe", path: `\\\\.\\pipe\\mq-bridge-${rest}` };
}
