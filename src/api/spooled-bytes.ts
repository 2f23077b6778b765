/** Received bytes: few stay in memory, more are written to a spool file in chunks. */
import { limits } from '../core/limits.ts';
import type { PayloadSpool, Payloads } from './contract/context.ts';

/** Holds at most `inlinePayloadBytesMax` bytes and one chunk. */
export class SpooledBytes {
  readonly #payloads: Pick<Payloads, 'createSpool'>;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #spool: PayloadSpool | null = null;

  constructor(payloads: Pick<Payloads, 'createSpool'>) {
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

  /** All bytes, or their file. */
  protected get held(): Uint8Array | PayloadSpool {
    return this.#spool ?? Buffer.concat(this.#chunks);
  }

  /** Forgets the bytes and deletes the file. */
  abort(): void {
    this.#chunks = [];
    this.#spool?.abort();
  }
}
