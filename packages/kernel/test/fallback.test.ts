import { afterEach, describe, expect, it, vi } from "vitest";

describe("where the kernel cannot be made", () => {
  afterEach(() => vi.resetModules());

  it.each([
    ["there is no WebAssembly (--jitless)", undefined],
    [
      "there is too little address space",
      {
        ...WebAssembly_(),
        Memory: class {
          constructor() {
            throw new RangeError("WebAssembly.Memory(): could not allocate memory");
          }
        },
      },
    ],
    [
      "the processor has no SIMD",
      {
        ...WebAssembly_(),
        Module: class {
          constructor() {
            throw new Error("CompileError: Wasm SIMD unsupported");
          }
        },
      },
    ],
  ])("because %s, auto means JavaScript and simd is refused", async (_, wasm) => {
    vi.resetModules();
    vi.stubGlobal("WebAssembly", wasm);
    const { CsvToJson, simdAvailable } = await import("../src/index.ts");
    expect(simdAvailable()).toBe(false);
    const reader = new CsvToJson();
    reader.feed(Buffer.from("a\n1\n"));
    expect(reader.take(1)!.bytes.toString()).toBe('{"a":"1"}\n');
    expect(() => new CsvToJson({ engine: "simd" })).toThrow(TypeError);
  });
});

/** The real one: the compiler's Node types do not declare it. */
function WebAssembly_(): object {
  return (globalThis as unknown as { WebAssembly: object }).WebAssembly;
}
