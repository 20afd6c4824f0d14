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
  const note = (field: string, code: string, message: string, hint: string): void => {
    found.push({ level: "note", path: [field], code, message, hint });
  };
  const address = readAddress(config.url);
  if (typeof address === "string") refuse("url", sqlErrors.URL({ field: "url", reason: address }));
  else if (!/^postgres(?:ql)?:/i.test(config.url))
    refuse("url", sqlErrors.URL({ field: "url", reason: "it begins with postgres://" }));
  else if (address.username === undefined)
    refuse(
      "url",
      sqlErrors.URL({ field: "url", reason: "it names no user; write postgres://user@host:port/database" }),
    );
  found.push(...checkTls(config.tls ?? undefined, ["tls"], "client"));

  const consume = consumeOf(config);
  if (config.temporary_slot && consume === "capture_all")
    refuse("temporary_slot", errors.TEMPORARY({ place: "with consume: capture_all" }));
  if (config.temporary_slot && consume === "capture_new" && config.create_slot === false)
    refuse("temporary_slot", errors.TEMPORARY({ place: "with create_slot: false" }));
  if (config.publication_tables != null && config.publication_tables.length > 0 && !config.create_publication)
    refuse(
      "publication_tables",
      errors.CONFIG({ field: "publication_tables", reason: "they are added with create_publication: true only" }),
    );
  for (const table of config.publication_tables ?? []) {
    const parts = table.split(".");
    if (parts.length > 2 || parts.some((part) => part === ""))
      refuse(
        "publication_tables",
        errors.CONFIG({ field: "publication_tables", reason: `"${table}" is no table: write t or schema.t` }),
      );
  }
  if (config.cursor_id != null && config.checkpoint_store == null)
    note(
      "cursor_id",
      "MQB_POSTGRES_NO_STORE",
      "`cursor_id` names a position in `checkpoint_store`, and there is none: the slot alone keeps it",
      "set checkpoint_store, or leave cursor_id out",
    );
  if (consume === "capture_all" && config.checkpoint_store == null)
    note(
      "consume",
      "MQB_POSTGRES_READS_AGAIN",
      "nothing keeps how far the tables were read: every start reads them from the beginning, then goes on with the slot",
      "set checkpoint_store",
    );
  if (consume === "snapshot") {
    for (const field of ["slot_name", "create_slot", "temporary_slot", "status_interval_ms"] as const) {
      if (config[field] == null || config[field] === false) continue;
      note(
        field,
        "MQB_POSTGRES_UNUSED",
        `\`${field}\` has no effect with consume: snapshot, which uses no slot`,
        "leave it out",
      );
    }
  }
  return found;
}
