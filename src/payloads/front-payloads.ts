/**
 * Payloads of a front: checks small ones inline, spool files and long filters in the payload thread,
 * and reads payloads of enqueued tasks.
 */

import type { PayloadSpool, Payloads, StoredUpload } from '../api/contract/context.ts';
import { Deadline } from '../core/deadline.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { limits } from '../core/limits.ts';
import { checkPayload } from '../indexing/payload/check-payload.ts';
import { documentLines, linesOfFile } from '../indexing/payload/payload-lines.ts';
import type { PayloadPool } from '../ipc/threads/payload-pool.ts';
import { FilterClock } from '../model/filter/filter-clock.ts';
import { isShortFilter, type UnparsedFilter } from '../model/filter/filter-form.ts';
import { parseTaskFilter } from '../model/filter/parse-filter.ts';
import type { PayloadFormat, PayloadRef } from '../model/task.ts';
import type { UploadOptions } from '../model/upload.ts';
import { mapFile } from '../storage/files/file-mapping.ts';
import type { PayloadStore, PayloadWriter } from '../storage/payload-store.ts';

export class FrontPayloads implements Payloads {
  readonly #store: PayloadStore;
  readonly #pool: Pick<PayloadPool, 'check' | 'selects'>;

  constructor(store: PayloadStore, pool: Pick<PayloadPool, 'check' | 'selects'>) {
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

  async selects(filter: UnparsedFilter, code: ErrorCode): Promise<boolean> {
    const { form, features } = filter;
    if (!isShortFilter(form)) return this.#pool.selects({ filter, code });
    const clock = new FilterClock(Deadline.never(), code);
    return parseTaskFilter(form, code, features, clock) !== null;
  }

  readDocuments(payload: PayloadRef, format: PayloadFormat): AsyncGenerator<Uint8Array> | null {
    if (payload.kind === 'inline')
      return documentLines(Buffer.from(payload.base64, 'base64'), format);
    if (this.#store.sizeOf(payload.name) === null) return null;
    const path = this.#store.pathOf(payload.name);
    return linesOfFile(() => mapFile(path), format);
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
