import * as z from "zod";
import type { FieldMeta } from "../fields.ts";

/** A field that holds an endpoint of the output side; null stands for the `null` endpoint. */
export function outputField(meta: FieldMeta) {
  return z
    .unknown()
    .refine((value) => value !== undefined, { error: "expected an endpoint" })
    .meta({ ...meta, "x-mqb-endpoint": "output" });
}
