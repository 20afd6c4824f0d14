import { fileURLToPath } from "node:url";
import { systemClock } from "@mqb/core/plugin";
import { runProcess, TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import { openFile } from "../../src/stores/file/store.ts";

const WRITER = fileURLToPath(new URL("counting-writer.ts", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../../..", import.meta.url));
const writer = (path: string, name: string) =>
  runProcess({ args: ["--conditions=@mqb/source", "--import", "tsx", WRITER, path, name], cwd: WORKSPACE });

/** The last number that a writer has said to be written. */
const said = (stdout: string): number => Number(/(\d+)\n$/.exec(stdout)?.[1] ?? 0);

async function stored(path: string, name: string): Promise<{ number: number; fillers: Set<string> }> {
  const store = await openFile(path, systemClock);
  const keys = [name, ...Array.from({ length: 200 }, (_, i) => `${name} ${i}`)];
  const [number, ...fillers] = (await store.getMany(keys)).map((entry) => Buffer.from(entry?.value ?? "0").toString());
  await store.close();
  return { number: Number(number), fillers: new Set(fillers) };
}

it("keeps every write that has resolved, whole, when its process is killed at any moment", async () => {
  await using dir = await TempDir.make();
  const path = dir.file("state.json");
  for (let round = 0; round < 8; round++) {
    await using child = writer(path, "one");
    await child.line(/^\d+$/);
    await child.killSomewhere(200);
    const { number, fillers } = await stored(path, "one");
    expect(number).toBeGreaterThanOrEqual(said(child.stdout));
    expect(number).toBeLessThanOrEqual(said(child.stdout) + 1);
    expect(fillers).toEqual(new Set([`${number} `.repeat(50)]));
  }
});

it("lets two processes share a file, and the one goes on when the other is killed", async () => {
  await using dir = await TempDir.make();
  const path = dir.file("state.json");
  await using survivor = writer(path, "survivor");
  await survivor.line(/^1$/);
  for (let round = 0; round < 4; round++) {
    await using child = writer(path, "killed");
    await child.line(/^\d+$/);
    await child.killSomewhere(200);
    // A lock that the killed one may have held is taken over.
    await survivor.line(new RegExp(`^${said(survivor.stdout) + 2}$`));
    expect((await stored(path, "killed")).number).toBeGreaterThanOrEqual(said(child.stdout));
  }
  await survivor.kill();
  expect((await stored(path, "survivor")).number).toBeGreaterThanOrEqual(said(survivor.stdout));
});
