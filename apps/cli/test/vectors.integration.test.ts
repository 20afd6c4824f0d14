import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, type Running, runCli, scratchFolder, startCli } from "./support/cli.ts";
import {
  compareOutputs,
  compareStdout,
  prepareVector,
  readExceptions,
  readVectors,
  type Vector,
} from "./support/vectors.ts";

const { skipped, different } = readExceptions();
const vectors = readVectors();
const number = (vector: Vector): string => vector.name.slice(0, 3);

beforeAll(buildCli);

describe("recorded cases of the original", () => {
  for (const vector of vectors) {
    const why = skipped[number(vector)];
    if (why !== undefined) {
      it.skip(`${vector.name}: ${why}`, () => {});
      continue;
    }
    it(`${vector.name}${different[number(vector)] ? ` (different: ${different[number(vector)]})` : ""}`, async () => {
      const scratch = scratchFolder();
      try {
        prepareVector(vector, scratch.path);
        const { code, stdout, stderr } = await finish(vector, scratch.path);
        const wrong = [...compareOutputs(vector, scratch.path), ...compareStdout(vector, stdout)];
        const same = { code: vector.exit_code, wrong: [] };
        if (number(vector) in different) expect({ code, wrong }, "the difference is gone").not.toEqual(same);
        else expect({ code, wrong, stderr: code === same.code ? "" : stderr }).toEqual({ ...same, stderr: "" });
      } finally {
        scratch.remove();
      }
    });
  }

  it("have no exception without a vector", () => {
    const numbers = vectors.map(number);
    expect([...Object.keys(skipped), ...Object.keys(different)].filter((one) => !numbers.includes(one))).toEqual([]);
  });
});

async function finish(vector: Vector, cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const options = {
    cwd,
    env: { MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS: "400", W: cwd, ...vector.env },
    ...(vector.stdin === null ? {} : { stdin: readFileSync(join(vector.folder, vector.stdin)) }),
  };
  const args = vector.argv.slice(1).map((argument) => argument.replaceAll("${W}", cwd));
  if (vector.signal === null && !vector.timed_out) return await runCli(args, options);
  const running = startCli(args, options);
  if (vector.timed_out) await running.stderr(/nothing to run/);
  else await filesWritten(vector, cwd, running);
  running.child.kill("SIGTERM");
  return await running.done;
}

/** Waits until every expected file has its full length. */
async function filesWritten(vector: Vector, cwd: string, running: Running): Promise<void> {
  const isWritten = (): boolean =>
    Object.entries(vector.outputs).every(([file, { expected }]) => {
      const path = join(cwd, file);
      return existsSync(path) && readFileSync(path).length >= readFileSync(join(vector.folder, expected!)).length;
    });
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(cwd, () => {
      if (isWritten()) finished();
    });
    const finished = (error?: Error): void => {
      watcher.close();
      if (error) reject(error);
      else resolve();
    };
    if (isWritten()) finished();
    void running.done.then(({ stderr }) => finished(new Error(`ended before its files were written:\n${stderr}`)));
  });
}
