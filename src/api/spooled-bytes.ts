/**
 * Received bytes, of a document payload or of a request for the node that writes: few stay in
 * memory, more are written to a spool file in chunks.
 */
import { limits } from '../core/limits.ts';
import type { UploadOptions } from '../model/upload.ts';
import type { ForwardedContent, PayloadSpool, Payloads, StoredUpload } from './contract/context.ts';

/** Holds at most `inlinePayloadBytesMax` bytes and one chunk. */
export class SpooledBytes {
  readonly #payloads: Payloads;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #spool: PayloadSpool | null = null;

  constructor(payloads: Payloads) {
    this.#payloads = payloads;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#spool === null && this.#bytes > limits.inlinePayloadBytesMax) {
      this.#spool = this.#payloads.createSpool();
      for (const held of this.#chunks) this.#spool.write(held);
      this.#chunks = [];
    }
    if (this.#spool === null) this.#chunks.push(Buffer.from(chunk));
    else this.#spool.write(chunk);
  }

  /** Checks the bytes as documents. Resolves when they are checked and, in a file, on disk. */
  async finish(options: UploadOptions): Promise<StoredUpload> {
    return this.#spool === null
      ? this.#payloads.checkInline(Buffer.concat(this.#chunks), options)
      : this.#spool.finish(options);
  }

  /** Can be read again when the node that writes changes. Call after the last `write`. */
  content(): ForwardedContent {
    const spool = this.#spool;
    if (spool === null) return Buffer.concat(this.#chunks);
    return { bytes: this.#bytes, chunks: () => spool.read() };
  }

  /** Forgets the bytes and deletes the file. */
  abort(): void {
    this.#chunks = [];
    this.#spool?.abort();
  }
}
