import { createHash, randomUUID } from "node:crypto";
import { realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { Clock } from "@mqb/core/plugin";
import { version } from "../version.ts";
import { claimFolder } from "./folder.ts";
import { HEARTBEAT_MS, type InstanceRecord, MAX_RECORD_BYTES, SCHEMA_VERSION, safeLabel } from "./record.ts";
import { type ReportedRoute, Snapshots } from "./snapshot.ts";

export interface LeaseOptions {
  readonly folder: string;
  /** The configuration, or the working directory: what this process is called in a list. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Errors are shown as they are, and not as the word `error`. */
  readonly showErrors: boolean;
  readonly routes: () => readonly ReportedRoute[];
  /** Gives text that may be shown. */
  readonly redact: (text: string) => string;
}

export interface Lease {
  /** Writes what is now, before its turn. */
  renew(): void;
  close(): void;
}

/**
 * Announces this process to `mqb status`, every two seconds until it is closed. Throws at the start when the folder
 * cannot be used; a renewal that fails is tried again.
 */
export function announceInstance(options: LeaseOptions): Lease {
  const { folder, clock } = options;
  claimFolder(folder);
  const id = randomUUID();
  const path = join(folder, `${id}.json`);
  const started = clock.now();
  const snapshots = new Snapshots(options.showErrors);
  const publish = (): void => {
    const now = clock.now();
    const record: InstanceRecord = {
      schema_version: SCHEMA_VERSION,
      instance_id: id,
      pid: process.pid,
      kind: "cli",
      application_version: version(),
      started_at_ms: started,
      last_seen_at_ms: now,
      ...workspaceOf(options.workspace),
      consumers: [],
      publishers: [],
      routes: snapshots.take(options.routes(), now),
    };
    // Text by text: what is quoted already is not recognised any more, and hiding a part of it may break the quotes.
    write(
      path,
      JSON.stringify(record, (_, value: unknown) => (typeof value === "string" ? options.redact(value) : value)),
    );
  };
  publish();
  let cancel = (): void => {};
  const renew = (): void => {
    try {
      publish();
    } catch {
      // A full disk or a removed folder: nobody sees this process until it works again.
    }
    cancel();
    cancel = clock.timer(HEARTBEAT_MS, renew);
  };
  cancel = clock.timer(HEARTBEAT_MS, renew);
  return {
    renew,
    close() {
      cancel();
      rmSync(path, { force: true });
    },
  };
}

/** Replaces the record in one step, readable by its owner alone. */
function write(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) throw new RangeError("too many routes for a status record");
  const temporary = path.replace(/([^/\\]+)\.json$/, `.$1.${randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** How a process that runs this configuration, or in this folder, is called in records. */
export function workspaceOf(path: string): { workspace_id: string; workspace_label: string } {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // What is not there is called as it was written.
  }
  const id = createHash("sha256").update(real).digest("hex").slice(0, 32);
  return { workspace_id: id, workspace_label: safeLabel(basename(real, extname(real)) || "workspace") };
}
