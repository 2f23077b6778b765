/**
 * Receives a document payload: small ones stay in memory, larger ones are written to a spool file
 * in chunks.
 */
import { limits } from '../core/limits.ts';
import type { UploadOptions } from '../model/upload.ts';
import type { PayloadSpool, Payloads, StoredUpload } from './contract/context.ts';

/**
 * Holds at most `inlinePayloadBytesMax` bytes and one chunk. Single use: chunks, then either
 * `finish` or `abort`.
 */
export class DocumentPayload {
  readonly #payloads: Payloads;
  readonly #options: UploadOptions;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #spool: PayloadSpool | null = null;

  constructor(payloads: Payloads, options: UploadOptions) {
    this.#payloads = payloads;
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#spool === null && this.#bytes > limits.inlinePayloadBytesMax) this.#openSpool();
    if (this.#spool === null) this.#chunks.push(Buffer.from(chunk));
    else this.#spool.write(chunk);
  }

  /** Resolves when the payload is checked and, for a file, on disk. */
  async finish(): Promise<StoredUpload> {
    if (this.#spool === null)
      return this.#payloads.checkInline(Buffer.concat(this.#chunks), this.#options);
    return this.#spool.finish(this.#options);
  }

  abort(): void {
    this.#chunks = [];
    this.#spool?.abort();
  }

  #openSpool(): void {
    const spool = this.#payloads.createSpool();
    this.#spool = spool;
    for (const held of this.#chunks) spool.write(held);
    this.#chunks = [];
  }
}
