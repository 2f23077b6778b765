/** Document payloads of a front: small ones are checked in place, spool files in the payload thread. */
import type { CheckedPayload, PayloadOptions, PayloadSpool, Payloads } from '../src/api/context.ts';
import { limits } from '../src/core/limits.ts';
import { checkPayload } from '../src/indexing/check-payload.ts';
import type { PayloadPool } from '../src/ipc/payload-pool.ts';
import type { PayloadRef } from '../src/model/task.ts';
import type { PayloadStore } from '../src/storage/payload-store.ts';

const CONTENT_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

export class FrontPayloads implements Payloads {
  readonly #store: PayloadStore;
  readonly #pool: PayloadPool;

  constructor(store: PayloadStore, pool: PayloadPool) {
    this.#store = store;
    this.#pool = pool;
  }

  async checkInline(sent: Uint8Array, { format, csvDelimiter }: PayloadOptions): Promise<CheckedPayload> {
    const { bytes = sent, ...checked } = checkPayload(sent, { contentType: CONTENT_TYPES[format], csvDelimiter });
    if (bytes.length <= limits.inlinePayloadBytesMax) {
      return { ...checked, payload: { kind: 'inline', base64: Buffer.from(bytes).toString('base64') } };
    }
    const spool = this.createSpool();
    spool.write(bytes);
    return { ...checked, payload: await spool.finish() };
  }

  async checkFile(payload: PayloadRef, { format, csvDelimiter }: PayloadOptions): Promise<CheckedPayload> {
    if (payload.kind !== 'file') throw new Error('an inline payload is no file');
    const checked = await this.#pool.check({ name: payload.name, format, csvDelimiter });
    const { name, bytes, documentCount } = checked;
    return { format: checked.format, documentCount, payload: { kind: 'file', name, bytes } };
  }

  createSpool(): PayloadSpool {
    const writer = this.#store.create();
    return {
      write: (chunk) => writer.write(chunk),
      finish: async () => ({ kind: 'file', ...(await writer.finish()) }),
      abort: () => writer.abort(),
    };
  }
}
