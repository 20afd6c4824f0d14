import type { CheckContext, Finding } from "@mqb/core/plugin";
import { isMqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";
import { checkTls } from "@mqb/tls";
import { readAddress } from "../client/url.ts";
import { errors } from "../errors.ts";
import { type CdcConfig, consumeOf } from "./config.ts";

/** What is wrong with a configuration of the right shape, and what in it does nothing. */
export function checkCdc(config: CdcConfig, _context: Pick<CheckContext, "side">): Finding[] {
  const found: Finding[] = [];
  const refuse = (field: string, error: Error): void => {
    if (!isMqbError(error)) throw error;
    const { code, message, hint } = error;
    found.push({ level: "error", path: [field], code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const note = (field: string, message: string): void => {
    found.push({ level: "note", path: [field], code: "MQB_MYSQL_UNUSED", message, hint: "leave it out" });
  };
  const address = readAddress(config.url);
  if (typeof address === "string") refuse("url", sqlErrors.URL({ field: "url", reason: address }));
  else if (!/^(?:mysql|mariadb):/i.test(config.url))
    refuse("url", sqlErrors.URL({ field: "url", reason: "it begins with mysql:// or mariadb://" }));
  else if (address.database === undefined && !config.tables?.every((table) => table.includes(".")))
    refuse("url", sqlErrors.URL({ field: "url", reason: "it names no database, and tables does not either" }));
  found.push(...checkTls(config.tls ?? undefined, ["tls"], "client"));
  for (const table of config.tables ?? []) {
    const parts = table.split(".");
    if (parts.length > 2 || parts.some((part) => part === ""))
      refuse("tables", errors.CONFIG({ field: "tables", reason: `"${table}" is no table: write t or schema.t` }));
  }
  if (config.tables?.length === 0)
    refuse("tables", errors.CONFIG({ field: "tables", reason: "it is empty; leave it out for all tables" }));
  if (consumeOf(config) === "snapshot") {
    for (const field of ["server_id", "heartbeat_ms", "split_key_change"] as const)
      if (config[field] != null && config[field] !== false)
        note(field, `\`${field}\` has no effect with consume: snapshot, which reads no log`);
    if ((config.cursor_id == null) !== (config.checkpoint_store == null))
      note(
        config.cursor_id == null ? "checkpoint_store" : "cursor_id",
        "`cursor_id` and `checkpoint_store` have no effect without each other",
      );
  } else {
    for (const field of ["cursor_id", "checkpoint_store"] as const)
      if (config[field] == null) refuse(field, errors.NEEDS_STORE({ field }));
  }
  return found;
}
