import { createHash } from "node:crypto";
import type { OpenContext, Shared } from "@mqb/core/plugin";
import type { NatsConfig } from "../schema.ts";
import { connect } from "./connect.ts";
import type { Connection } from "./connection.ts";

/** A connection that several endpoints use at once, or an own one. Its end is not the end of those that come after it. */
export async function acquire(config: NatsConfig, context: OpenContext, alone = false): Promise<Shared<Connection>> {
  if (alone || config.shared === false) {
    const connection = await connect(config, context);
    return { value: connection, release: () => connection.close() };
  }
  const settings = settingsKey(config, context.baseDir);
  const rounds = context.local(`nats rounds ${settings}`, () => ({ now: 0 }));
  for (;;) {
    const round = rounds.now;
    const held = await context.share(
      `nats ${settings} ${round}`,
      () => connect(config, context),
      (connection) => connection.close(),
    );
    if (!held.value.end) return held;
    // Somebody still holds one that has ended.
    await held.release();
    if (rounds.now === round) rounds.now += 1;
  }
}

/** What makes two connections the same; hashed, since it holds secrets. */
function settingsKey(config: NatsConfig, baseDir: string): string {
  const { url, username, password, token, nkey_seed, creds_file, tls } = config;
  const parts = [url, username, password, token, nkey_seed, creds_file, tls, creds_file || tls ? baseDir : null];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
