// Loaded into the program under test: writes down from within what it holds, every few seconds.
import { appendFileSync, readdirSync } from "node:fs";

const FILE = process.env["MQB_SOAK_GAUGE"];
const EVERY_MS = 5000;

if (FILE !== undefined) {
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const handles = process.getActiveResourcesInfo().length;
    const fds = readdirSync("/proc/self/fd").length;
    const cpu = process.cpuUsage();
    appendFileSync(
      FILE,
      `${JSON.stringify({ rss, heapUsed, external, handles, fds, cpu: (cpu.user + cpu.system) / 1e6 })}\n`,
    );
  }, EVERY_MS).unref();
}
