/** Receives a document payload, in memory or in a spool file. */
import type { UploadOptions } from '../model/upload.ts';
import type { Payloads, StoredUpload } from './contract/context.ts';
import { SpooledBytes } from './spooled-bytes.ts';

/** Single use: chunks, then either `finish` or `abort`. */
export class DocumentPayload extends SpooledBytes {
  readonly #payloads: Payloads;
  readonly #options: UploadOptions;

  constructor(payloads: Payloads, options: UploadOptions) {
    super(payloads);
    this.#payloads = payloads;
    this.#options = options;
  }

  /** Resolves when the payload is checked and, for a file, on disk. */
  async finish(): Promise<StoredUpload> {
    const { held } = this;
    if (held instanceof Uint8Array) return this.#payloads.checkInline(held, this.#options);
    return held.finish(this.#options);
  }
}
