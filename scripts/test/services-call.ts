import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls `scripts/services` with a scratch folder and ports of its own, so that no other server is touched. */
export function servicesIn(folder: string, env: Readonly<Record<string, string>> = {}) {
  const script = fileURLToPath(new URL("../services", import.meta.url));
  return (...args: readonly string[]) =>
    new Promise<Called>((resolve, reject) => {
      const own = { ...process.env, MQB_SERVICES_DIR: folder, ...env };
      execFile(script, args, { env: own }, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === "number") resolve({ code, stdout, stderr });
        else reject(error);
      });
    });
}

/** A new folder that the servers' own users can enter. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mqb-services-test-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** A port below 32768 on which nobody listens. */
export async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 5_000); port < 32_768; port += 1) {
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.on("error", () => resolve(false));
      server.listen({ host: "127.0.0.1", port }, () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
  throw new Error("no free port from 20000 to 32767");
}
