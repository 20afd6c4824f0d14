import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SERVICES = fileURLToPath(new URL("../../../scripts/services", import.meta.url));

async function services(verb: string): Promise<void> {
  await promisify(execFile)(SERVICES, [verb, "postgres-spare"], { env: { ...process.env, MQB_SERVICES_WAIT: "120" } });
}

/** Starts it, if it does not run; it runs on afterwards. */
export function startSpare(): Promise<void> {
  return services("up");
}

export function restartSpare(): Promise<void> {
  return services("restart");
}

export async function killSpare(): Promise<void> {
  await services("kill");
  await services("up");
}
