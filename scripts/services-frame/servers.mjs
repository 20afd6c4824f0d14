import { readdirSync } from "node:fs";

/**
 * Every server that has a file in services.d, by name.
 * @returns {Promise<Map<string, import("./server.mjs").Server>>}
 */
export async function loadServers() {
  const folder = new URL("../services.d/", import.meta.url);
  const servers = new Map();
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".mjs"))
    .sort()) {
    for (const server of [(await import(new URL(file, folder).href)).default].flat()) servers.set(server.name, server);
  }
  return servers;
}
