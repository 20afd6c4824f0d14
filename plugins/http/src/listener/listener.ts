import type { Clock, Logger } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { formatAddress, type ListenAddress } from "./address.ts";
import { Mounts } from "./mounts.ts";
import { answerUnread } from "./plain-answer.ts";
import type { Mount, Place, Request, Response } from "./protocol.ts";
import { HttpServer, type ServerSettings } from "./server.ts";

export interface ListenerSettings extends ServerSettings {
  readonly address: ListenAddress;
  /** What routes that share the listener have to agree on, by the name of the field. */
  readonly agreed: Readonly<Record<string, unknown>>;
}

/** One server at one address and the routes that share it. */
export class Listener {
  readonly settings: ListenerSettings;
  /** Of the first route. */
  readonly route: string;
  private readonly mounts = new Mounts();
  private readonly server: HttpServer;
  private readonly watchers = new Set<(error: unknown) => void>();

  private constructor(settings: ListenerSettings, route: string, context: { clock: Clock; log: Logger }) {
    this.settings = settings;
    this.route = route;
    this.server = new HttpServer(settings, context.clock, {
      request: this.dispatch,
      failed: (error) => {
        for (const watch of this.watchers) watch(error);
      },
    });
  }

  /** Resolves when it takes connections. Throws coded errors for an address that cannot be had. */
  static async open(
    settings: ListenerSettings,
    route: string,
    context: { readonly clock: Clock; readonly log: Logger },
  ): Promise<Listener> {
    const listener = new Listener(settings, route, context);
    await listener.server.listen(settings.address);
    return listener;
  }

  /** With the port that was given, where any free one was asked for. */
  get address(): string {
    const { host } = this.settings.address;
    return formatAddress({ host, port: this.server.port });
  }

  /** `failed` is told when the server cannot go on. Throws a `config` error. */
  mount(mount: Mount, failed: (error: unknown) => void): Place {
    const before = this.mounts.add(mount);
    if (before) {
      const { path = "any path", method = "any method" } = mount;
      const what = `${method} ${path}`;
      throw errors.TAKEN({ address: this.address, what, route: mount.route, other: before.route });
    }
    this.watchers.add(failed);
    let forget: (() => void) | undefined;
    const leave = (): void => {
      this.watchers.delete(failed);
      forget ??= this.mounts.remove(mount);
    };
    const giveUp = (): void => {
      leave();
      forget?.();
    };
    return { leave, giveUp };
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private readonly dispatch = (request: Request, response: Response, expects: boolean): void => {
    const { method = "GET" } = request;
    const found = this.mounts.find(method, pathOf(request.url ?? "/"));
    if (found && "mount" in found) {
      found.mount.request(request, response, expects);
      return;
    }
    if (!found) answerUnread(request, response, 404, "No HTTP consumer registered for this path");
    else if ("allow" in found) {
      answerUnread(request, response, 405, `Method ${method} not allowed`, { allow: found.allow.join(", ") });
    } else {
      answerUnread(request, response, 503, "The route is not running", { "retry-after": "1" });
    }
  };
}

/** The path of a request target, in the form of a path or of a whole URL. */
export function pathOf(target: string): string {
  let start = 0;
  if (!target.startsWith("/")) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
    if (!scheme) return target;
    start = scheme[0].length;
  }
  const query = target.indexOf("?", start);
  const path = query < 0 ? target.slice(start) : target.slice(start, query);
  return path === "" ? "/" : path;
}
