import type { Mount } from "./protocol.ts";

/** What answers a path: a mount, one that is closed for now, or the methods that it would take. */
export type Found =
  | { readonly mount: Mount }
  | { readonly closed: true }
  | { readonly allow: readonly string[] }
  | undefined;

const ANY = "*";

/** The mounts of one listener, by path and method; the most specific one wins. */
export class Mounts {
  private readonly paths = new Map<string, Map<string, Mount>>();
  private readonly anyPath = new Map<string, Mount>();
  /** Where a route was that reconnects: clients would take a 404 as a reason never to come again. */
  private readonly closed = new Set<Mount>();

  get size(): number {
    let size = this.anyPath.size;
    for (const methods of this.paths.values()) size += methods.size;
    return size - this.closed.size;
  }

  /** The mount in whose place it would be, if there is one; else it is added. */
  add(mount: Mount): Mount | undefined {
    const methods = this.methodsOf(mount.path);
    const method = mount.method ?? ANY;
    const before = methods.get(method);
    if (before && !this.closed.delete(before)) return before;
    methods.set(method, mount);
    return undefined;
  }

  /** Its place stays, and nothing else of it. Returns what gives up the place, too, unless somebody has taken it since. */
  remove({ route, path, method }: Mount): () => void {
    const away: Mount = { route, path, method, request: () => {} };
    this.methodsOf(path).set(method ?? ANY, away);
    this.closed.add(away);
    return () => {
      if (!this.closed.delete(away)) return;
      const methods = this.methodsOf(path);
      methods.delete(method ?? ANY);
      if (path !== undefined && methods.size === 0) this.paths.delete(path);
    };
  }

  find(method: string, path: string): Found {
    const exact = this.paths.get(path);
    const mount = exact?.get(method) ?? exact?.get(ANY) ?? this.anyPath.get(method) ?? this.anyPath.get(ANY);
    if (mount) return this.closed.size > 0 && this.closed.has(mount) ? { closed: true } : { mount };
    if (!exact && this.anyPath.size === 0) return undefined;
    return { allow: [...new Set([...(exact?.keys() ?? []), ...this.anyPath.keys()])].sort() };
  }

  private methodsOf(path: string | undefined): Map<string, Mount> {
    if (path === undefined) return this.anyPath;
    let methods = this.paths.get(path);
    if (!methods) this.paths.set(path, (methods = new Map()));
    return methods;
  }
}
