/** Lines of about `bytes` bytes that compress well; what the files in `data/` were made of, by the lz4 and zstd tools. */
export function sample(bytes: number): Buffer {
  let text = "";
  for (let n = 0; text.length < bytes; n++) text += `{"n":${n % 997},"t":"line ${n % 61} of a sample"}\n`;
  return Buffer.from(text);
}
