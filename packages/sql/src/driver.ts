import type { FindService } from "@mqb/core/plugin";
import type { Dialect, SqlDriver } from "./contract.ts";
import { errors } from "./errors.ts";

interface Known {
  readonly dialect: Dialect;
  readonly package: string;
}

const SCHEMES: Readonly<Record<string, Known>> = {
  postgres: { dialect: "postgres", package: "@mqb/postgres" },
  postgresql: { dialect: "postgres", package: "@mqb/postgres" },
  mysql: { dialect: "mysql", package: "@mqb/mysql" },
  mariadb: { dialect: "mysql", package: "@mqb/mysql" },
  sqlite: { dialect: "sqlite", package: "@mqb/sqlite" },
};

/** The driver for a URL's scheme. Throws a `config` error that names the package to install when there is none. */
export function driverFor(url: string, service: FindService): SqlDriver {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined)
    throw errors.URL({ field: "url", reason: "it has no scheme, such as postgres: or sqlite:" });
  const known = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
  if (!known) throw errors.SCHEME({ scheme });
  const driver = service(`sql:${known.dialect}`);
  if (!driver) throw errors.DRIVER({ scheme, package: known.package });
  return driver;
}
