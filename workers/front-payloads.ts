/** Document payloads of a front: small ones are checked in place, spool files in the payload thread. */
import type { CheckedPayload, PayloadOptions, PayloadSpool, Payloads } from '../src/api/context.ts';
import { limits } from '../src/core/limits.ts';
import { checkPayload } from '../src/indexing/check-payload.ts';
import type { PayloadPool } from '../src/ipc/payload-pool.ts';
import type { PayloadStore, PayloadWriter } from '../src/storage/payload-store.ts';

const CONTENT_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

export class FrontPayloads implements Payloads {
  readonly #store: PayloadStore;
  readonly #pool: Pick<PayloadPool, 'check'>;

  constructor(store: PayloadStore, pool: Pick<PayloadPool, 'check'>) {
    this.#store = store;
    this.#pool = pool;
  }

  async checkInline(sent: Uint8Array, { format, csvDelimiter }: PayloadOptions): Promise<CheckedPayload> {
    const { bytes = sent, ...checked } = checkPayload(sent, { contentType: CONTENT_TYPES[format], csvDelimiter });
    if (bytes.length <= limits.inlinePayloadBytesMax) {
      return { ...checked, payload: { kind: 'inline', base64: Buffer.from(bytes).toString('base64') } };
    }
    const writer = this.#store.create();
    writer.write(bytes);
    return { ...checked, payload: { kind: 'file', ...(await writer.finish()) } };
  }

  createSpool(): PayloadSpool {
    const writer = this.#store.create();
    return {
      write: (chunk) => writer.write(chunk),
      finish: (options) => this.#finish(writer, options),
      abort: () => writer.abort(),
    };
  }

  /** The file is read by the payload thread while it is being synced. */
  async #finish(writer: PayloadWriter, { format, csvDelimiter }: PayloadOptions): Promise<CheckedPayload> {
    const task = { name: writer.name, format, csvDelimiter };
    const [synced, checked] = await Promise.allSettled([writer.finish(), this.#pool.check(task)]);
    if (synced.status === 'rejected') {
      if (checked.status === 'fulfilled') this.#store.remove(checked.value.name);
      throw synced.reason;
    }
    if (checked.status === 'rejected') throw checked.reason;
    const { name, bytes, documentCount } = checked.value;
    return { format: checked.value.format, documentCount, payload: { kind: 'file', name, bytes } };
  }
}
