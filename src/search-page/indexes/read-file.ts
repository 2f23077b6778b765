/** Reads a chosen file piece by piece, unpacked. */

export interface FileReading {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Fraction of the file that was read, 0 to 1. */
  readonly part: () => number;
}

export function readFile(file: Blob, isCompressed: boolean): FileReading {
  let read = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        read += chunk.length;
        controller.enqueue(chunk);
      },
    }),
  );
  const unpacked = isCompressed ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  return { bytes: piecesOf(unpacked), part: () => (file.size === 0 ? 1 : read / file.size) };
}

/** Not every browser iterates streams. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

const HEAD_BYTES = 16_384;

/** The beginning of the text of a file. */
export async function headOf(file: Blob, isCompressed: boolean): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of readFile(file, isCompressed).bytes) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= HEAD_BYTES) break;
  }
  return text.slice(0, HEAD_BYTES);
}
