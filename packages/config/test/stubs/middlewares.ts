import { ALGORITHM } from "./blocks.ts";
import type { Shape } from "./shape.ts";

/** A middleware that has no package yet. */
export interface MiddlewareStub {
  readonly from: string;
  readonly sides: "in" | "out" | "both";
  readonly fields?: Shape;
  readonly type?: string;
  /** What it says of itself under `x-mqb-…`. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

const ON_ERROR = "on_error:fail|drop";

export const MIDDLEWARES: Readonly<Record<string, MiddlewareStub>> = {
  pack: {
    from: "@mqb/standard",
    sides: "out",
    fields: "format:mqb|benthos_binary max_messages:int max_bytes:int drop_message_id:flag",
  },
  unpack: { from: "@mqb/standard", sides: "in", fields: `format:mqb|benthos_binary max_messages:int ${ON_ERROR}` },
  compression: {
    from: "@mqb/compression",
    sides: "both",
    fields: `${ALGORITHM} max_decompressed_bytes:int ${ON_ERROR}`,
  },
};
