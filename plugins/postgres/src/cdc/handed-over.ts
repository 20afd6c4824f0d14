import type { Finding } from "@mqb/core/plugin";
import type { ChangeCapture, ChangeSettings } from "@mqb/sql";
import { readAddress } from "../client/url.ts";
import { errors } from "../errors.ts";
import { checkCdc } from "./check.ts";
import { checkpointCdc } from "./checkpoint.ts";
import { type CdcConfig, cdcSchema } from "./config.ts";
import { openCdc, pinCdc } from "./opening/open.ts";
import { probeCdc } from "./probe.ts";

/** What an `sqlx` input with `publication` is: the source of change capture, with the settings that such an input has. */
export const changeCapture: ChangeCapture = {
  check(settings) {
    const parsed = cdcSchema.safeParse(written(settings));
    if (parsed.success) return checkCdc(parsed.data, { side: "input" }).map((finding) => ofSqlx(finding));
    return parsed.error.issues.map(({ path, message: reason }) => {
      const [field = ""] = path.map(String);
      const { code, message } = errors.CONFIG({ field, reason });
      return ofSqlx({ level: "error", path: [field], code, message });
    });
  },
  open: async (settings, context) => openCdc(configOf(settings), context, settings.table),
  pin: async (settings, context) => pinCdc(configOf(settings), context),
  checkpoint: (settings, context) => checkpointCdc(configOf(settings), context),
  probe: async (settings, context) => probeCdc(configOf(settings), context),
};

function configOf(settings: ChangeSettings): CdcConfig {
  return cdcSchema.parse(written(settings));
}

function written(settings: ChangeSettings): Readonly<Record<string, unknown>> {
  const { publication, table, slotName, createPublication, sourceMetadata, tls } = settings;
  return {
    url: withLogin(settings),
    publication,
    ...(slotName === undefined ? {} : { slot_name: slotName }),
    ...(createPublication ? { create_publication: true, publication_tables: [table] } : {}),
    source_metadata: sourceMetadata,
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Name and password win over those of the URL. */
function withLogin({ url, username, password }: ChangeSettings): string {
  if ((username === undefined && password === undefined) || typeof readAddress(url) === "string") return url;
  const parsed = new URL(url.replace(/^postgresql:/i, "postgres:"));
  if (username !== undefined) parsed.username = encodeURIComponent(username);
  if (password !== undefined) parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** That field has another name there. */
function ofSqlx(finding: Finding): Finding {
  const [field, ...rest] = finding.path ?? [];
  return field === "publication_tables" ? { ...finding, path: ["table", ...rest] } : finding;
}
