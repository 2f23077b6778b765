/**
 * The body of a request that goes to the node that writes: short ones stay in memory, longer ones are
 * written to a spool file. Either can be sent again when the node that writes changes.
 */
import { limits } from '../core/limits.ts';
import type { ForwardedContent, PayloadSpool, Payloads } from './contract/context.ts';

/** Holds at most `inlinePayloadBytesMax` bytes and one chunk. `close` must be called once. */
export class ForwardedBody {
  readonly #payloads: Pick<Payloads, 'createSpool'>;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #spool: PayloadSpool | null = null;

  constructor(payloads: Pick<Payloads, 'createSpool'>) {
    this.#payloads = payloads;
  }

  /** `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#spool === null && this.#bytes > limits.inlinePayloadBytesMax) this.#openSpool();
    if (this.#spool === null) this.#chunks.push(Buffer.from(chunk));
    else this.#spool.write(chunk);
  }

  /** Call after the last `write`. */
  content(): ForwardedContent {
    const spool = this.#spool;
    if (spool === null) return Buffer.concat(this.#chunks);
    return { bytes: this.#bytes, chunks: () => spool.read() };
  }

  /** Deletes the file. */
  close(): void {
    this.#spool?.abort();
  }

  #openSpool(): void {
    const spool = this.#payloads.createSpool();
    this.#spool = spool;
    for (const held of this.#chunks) spool.write(held);
    this.#chunks = [];
  }
}
