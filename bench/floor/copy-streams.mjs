// node copy-streams.mjs IN OUT [gzip]: the bytes through Node's streams, and through its compressor if asked.
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

const [input, output, packed] = process.argv.slice(2);
const highWaterMark = 1 << 20;
const from = createReadStream(input, { highWaterMark });
const to = createWriteStream(output, { highWaterMark });
if (packed === "gzip") await pipeline(from, createGzip({ chunkSize: 1 << 18 }), to);
else await pipeline(from, to);
