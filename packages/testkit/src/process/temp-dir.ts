import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own for one test; gone after it: `await using dir = await TempDir.make()`. */
export class TempDir implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<TempDir> {
    return new TempDir(await mkdtemp(join(tmpdir(), "mqb-test-")));
  }

  /** The path of a name in the folder. */
  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Writes a file and gives its path. */
  async write(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.file(name), content);
    return this.file(name);
  }

  /** The text of a file. */
  read(name: string): Promise<string> {
    return readFile(this.file(name), "utf8");
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
