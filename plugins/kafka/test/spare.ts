import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Where the server listens that tests may stop and kill. */
export const SPARE_URL: string = process.env["MQB_TEST_KAFKA_SPARE_URL"] ?? "127.0.0.1:28192";

const SERVICES = fileURLToPath(new URL("../../../scripts/services", import.meta.url));

async function services(verb: string): Promise<void> {
  await promisify(execFile)(SERVICES, [verb, "kafka-spare"], { env: { ...process.env, MQB_SERVICES_WAIT: "120" } });
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
