/**
 * Document payloads of a front: checks small ones inline and spool files in the payload thread, and
 * reads payloads of enqueued tasks.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { PayloadSpool, Payloads, StoredUpload } from '../api/contract/context.ts';
import { limits } from '../core/limits.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { compactInto } from '../engine/json/compact-json.ts';
import { PayloadReader } from '../engine/json/payload-reader.ts';
import { checkPayload } from '../indexing/payload/check-payload.ts';
import type { PayloadPool } from '../ipc/threads/payload-pool.ts';
import type { PayloadFormat, PayloadRef } from '../model/task.ts';
import type { UploadOptions } from '../model/upload.ts';
import { mapFile } from '../storage/files/file-mapping.ts';
import type { PayloadStore, PayloadWriter } from '../storage/payload-store.ts';

/** Approximate bytes per piece, which is read between two turns of the event loop. */
const PIECE_BYTES = 65_536;

/** @param bytes a checked payload */
export async function* documentLines(
  bytes: Uint8Array,
  format: PayloadFormat,
): AsyncGenerator<Uint8Array> {
  const reader = new PayloadReader(bytes, format);
  const lines = new ByteBuffer();
  while (reader.next()) {
    compactInto(reader.tape, lines);
    lines.pushText('\n');
    if (lines.length < PIECE_BYTES) continue;
    yield lines.copy();
    lines.clear();
    await turn();
  }
  if (lines.length > 0) yield lines.copy();
}

export class FrontPayloads implements Payloads {
  readonly #store: PayloadStore;
  readonly #pool: Pick<PayloadPool, 'check'>;

  constructor(store: PayloadStore, pool: Pick<PayloadPool, 'check'>) {
    this.#store = store;
    this.#pool = pool;
  }

  async checkInline(sent: Uint8Array, options: UploadOptions): Promise<StoredUpload> {
    const { bytes = sent, ...checked } = checkPayload(sent, options);
    if (bytes.length <= limits.inlinePayloadBytesMax) {
      return {
        ...checked,
        payload: { kind: 'inline', base64: Buffer.from(bytes).toString('base64') },
      };
    }
    const writer = this.#store.create();
    try {
      writer.write(bytes);
    } catch (error) {
      writer.abort();
      throw error;
    }
    return { ...checked, payload: { kind: 'file', ...(await writer.finish()) } };
  }

  createSpool(): PayloadSpool {
    const writer = this.#store.create();
    return {
      write: (chunk) => writer.write(chunk),
      finish: (options) => this.#finish(writer, options),
      read: () => writer.read(),
      abort: () => writer.abort(),
    };
  }

  readDocuments(payload: PayloadRef, format: PayloadFormat): AsyncGenerator<Uint8Array> | null {
    if (payload.kind === 'inline')
      return documentLines(Buffer.from(payload.base64, 'base64'), format);
    if (this.#store.sizeOf(payload.name) === null) return null;
    return linesOfFile(this.#store.pathOf(payload.name), format);
  }

  /** The payload thread reads the file while it is being synced. */
  async #finish(writer: PayloadWriter, options: UploadOptions): Promise<StoredUpload> {
    const task = { ...options, name: writer.name };
    const [synced, checked] = await Promise.allSettled([writer.finish(), this.#pool.check(task)]);
    if (synced.status === 'rejected') {
      const converted = checked.status === 'fulfilled' ? checked.value.converted : null;
      if (converted !== null) this.#store.remove(converted.name);
      throw synced.reason;
    }
    if (checked.status === 'rejected') throw checked.reason;
    const { format, documentCount, converted } = checked.value;
    return { format, documentCount, payload: { kind: 'file', ...(converted ?? synced.value) } };
  }
}

async function* linesOfFile(path: string, format: PayloadFormat): AsyncGenerator<Uint8Array> {
  const file = mapFile(path);
  try {
    yield* documentLines(file.bytes, format);
  } finally {
    file.close();
  }
}
