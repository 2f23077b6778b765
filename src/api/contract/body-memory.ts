/**
 * Memory for the request bodies of a front: one budget that all requests under way share. A quarter
 * of it is left to small bodies, so that large ones keep no search from being read.
 */
import { ApiError } from '../../core/errors.ts';

/** Bodies up to this size may use the whole budget. */
const SMALL_BODY_BYTES = 65_536;
const LARGE_BODIES_SHARE = 0.75;

export class BodyMemory {
  readonly #bytesMax: number;
  /** Of all bodies together, as far as a large one may add to them; also the largest body. */
  readonly largeBytesMax: number;
  #heldBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.largeBytesMax = Math.max(SMALL_BODY_BYTES, Math.floor(bytesMax * LARGE_BODIES_SHARE));
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The part of one request, which holds nothing yet. */
  open(): BodyShare {
    return new BodyShare(this);
  }

  /** @param total of the body that asks for more. @throws ApiError `payload_memory_exhausted` */
  take(more: number, total: number): void {
    const bytesMax = total > SMALL_BODY_BYTES ? this.largeBytesMax : this.#bytesMax;
    if (this.#heldBytes + more > bytesMax)
      throw new ApiError(
        'payload_memory_exhausted',
        `The bodies of other requests fill the ${this.#bytesMax} bytes that this instance has for them: retry later.`,
      );
    this.#heldBytes += more;
  }

  give(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** What one request holds of the budget. */
class BodyShare {
  readonly #memory: BodyMemory;
  #bytes = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** @throws ApiError `payload_memory_exhausted`; what is held stays held */
  holdAtLeast(bytes: number): void {
    if (bytes <= this.#bytes) return;
    this.#memory.take(bytes - this.#bytes, bytes);
    this.#bytes = bytes;
  }

  /** Legal more than once. */
  release(): void {
    this.#memory.give(this.#bytes);
    this.#bytes = 0;
  }
}

export type { BodyShare };
