import { connect } from "node:net";

/**
 * Why the tests that need this server cannot run here, or undefined when they can: for `describe.skipIf`.
 * Throws instead of answering "cannot" when MQB_TEST_REQUIRE, a comma list that CI sets, names the server: then a
 * missing server is a failure and not a skip.
 * @param findFault resolves with undefined when the server is usable, otherwise with the reason
 */
export async function requireService(
  name: string,
  findFault: () => Promise<string | undefined>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  const fault = await findFault();
  if (fault === undefined) return undefined;
  const required = (env["MQB_TEST_REQUIRE"] ?? "").split(",").map((word) => word.trim());
  const remedy = `scripts/services install ${name} && scripts/services up ${name}`;
  if (required.includes(name)) throw new Error(`MQB_TEST_REQUIRE names ${name}, but ${fault}. Try: ${remedy}`);
  console.warn(`skipping the tests of ${name}: ${fault}. To run them: ${remedy}`);
  return fault;
}

/** For `requireService`: something accepts connections at the URL within two seconds. */
export function reachable(url: string): () => Promise<string | undefined> {
  const { hostname, port, host } = new URL(url);
  return () =>
    new Promise((resolve) => {
      const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
      const settle = (fault: string | undefined) => {
        socket.destroy();
        resolve(fault);
      };
      socket.setTimeout(2000, () => settle(`${host} does not answer`));
      socket.on("error", (cause) => settle(`nothing answers at ${host} (${cause.message})`));
      socket.on("connect", () => settle(undefined));
    });
}
