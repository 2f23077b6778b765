/**
 * Length-prefixed JSON frames of a byte stream.
 *
 *   +----------------+----------------------+
 *   | u32 LE: length | JSON text in UTF-8   |
 *   +----------------+----------------------+
 *
 * A reader never holds more than one unfinished frame and refuses a frame beyond its limit before
 * reading it.
 */
import { parseJson } from '../../core/json.ts';

const HEADER_BYTES = 4;

/** The peer violated the protocol; the connection cannot be used any more. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export function encodeFrame(message: unknown): Buffer {
  const json = JSON.stringify(message);
  const bodyBytes = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bodyBytes);
  frame.writeUInt32LE(bodyBytes, 0);
  frame.write(json, HEADER_BYTES);
  return frame;
}

export class FrameReader {
  /** Overhead charged for every frame whose length has not been read yet. */
  frameBytesMax: number;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  /** Bytes that must be buffered before the next read step. */
  #neededBytes = HEADER_BYTES;

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax;
  }

  /**
   * Returns the messages that `chunk` completes, in order. Throws `ProtocolError`; the reader
   * cannot be used afterwards.
   */
  *push(chunk: Buffer): Generator<unknown, void, void> {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes < this.#neededBytes) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    while (bytes.length >= HEADER_BYTES) {
      const frameEnd = HEADER_BYTES + this.#checkedLength(bytes);
      if (bytes.length < frameEnd) {
        this.#neededBytes = frameEnd;
        break;
      }
      yield parseBody(bytes.subarray(HEADER_BYTES, frameEnd));
      bytes = bytes.subarray(frameEnd);
      this.#neededBytes = HEADER_BYTES;
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#bufferedBytes = bytes.length;
  }

  #checkedLength(bytes: Buffer): number {
    const length = bytes.readUInt32LE(0);
    if (length > this.frameBytesMax) {
      throw new ProtocolError(
        `a frame of ${length} bytes is over the limit of ${this.frameBytesMax}`,
      );
    }
    return length;
  }
}

function parseBody(body: Buffer): unknown {
  const value = parseJson(body);
  if (value === undefined) throw new ProtocolError('a frame does not hold JSON');
  return value;
}
