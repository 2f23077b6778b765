/** The bytes of a file in chunks. */
import fs from 'node:fs';

/**
 * The file is opened when the first chunk is wanted. A stream would open it at once, and if it were
 * removed before that ended, while nothing listens to the stream yet, the process would end by the error.
 */
export async function* fileChunks(
  file: string,
  options: { readonly highWaterMark?: number } = {},
): AsyncIterable<Uint8Array> {
  for await (const chunk of fs.createReadStream(file, options)) yield chunk as Uint8Array;
}
