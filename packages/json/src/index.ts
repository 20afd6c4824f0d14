/**
 * Lossless JSON. Values keep the text of their numbers; fields of a payload are found, read and replaced in its bytes
 * without making a tree of it.
 */
export { type BatchFields, type BatchFieldsOptions, compileBatchFields } from "./batch-fields.ts";
export { doubleText } from "./double.ts";
export { jsonErrors } from "./errors.ts";
export { compileFields, type FieldFinder, FieldKind } from "./fields.ts";
export { JsonNumber } from "./number.ts";
export { type ParseOptions, parseJson } from "./parse.ts";
export { formatPath, type JsonPath, parsePath } from "./path.ts";
export { plainNumber } from "./plain-number.ts";
export { numberText, readNumber, readString } from "./read.ts";
export { type FieldEdit, spliceFields } from "./splice.ts";
export { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./value.ts";
export { canonicalJson, jsonEquals, writeJson } from "./write.ts";
