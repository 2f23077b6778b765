/**
 * Memory of a front for request bodies, and for large answers until clients have read them: one
 * budget each for all concurrent requests. A quarter of the budget for request bodies is reserved for
 * small ones, so that large bodies keep no search from being read.
 */
import { ApiError } from '../../core/errors.ts';

/** Bodies up to this size may use the whole budget. */
const SMALL_BODY_BYTES = 65_536;
const LARGE_BODIES_SHARE = 0.75;
/** All large answers together, in multiples of the largest answer. */
const LARGEST_ANSWERS = 4;

/** @param bytesMax value of `--http-body-memory` */
export const requestMemory = (bytesMax: number): BodyMemory =>
  new BodyMemory(bytesMax, LARGE_BODIES_SHARE, () => {
    return new ApiError(
      'payload_memory_exhausted',
      `The bodies of other requests fill the ${bytesMax} bytes that this instance has for them: retry later.`,
    );
  });

/** @param answerBytesMax value of `--max-response-size` */
export const answerMemory = (answerBytesMax: number): BodyMemory =>
  new BodyMemory(LARGEST_ANSWERS * answerBytesMax, 1, () => {
    return new ApiError(
      'too_many_search_requests',
      `The responses that other clients have not read yet fill the ${LARGEST_ANSWERS * answerBytesMax} bytes that this instance has for large responses: retry later.`,
    );
  });

export class BodyMemory {
  readonly #bytesMax: number;
  readonly #refusal: () => ApiError;
  /** Of all bodies together, as far as a large one may add to them; also the largest body. */
  readonly largeBytesMax: number;
  #heldBytes = 0;

  /** @param refusal the error of a body that does not fit */
  constructor(bytesMax: number, largeShare: number, refusal: () => ApiError) {
    this.#bytesMax = bytesMax;
    this.largeBytesMax = Math.max(SMALL_BODY_BYTES, Math.floor(bytesMax * largeShare));
    this.#refusal = refusal;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  open(): BodyShare {
    return new BodyShare(this);
  }

  /** @param total size of the body that needs more. @throws ApiError */
  take(more: number, total: number): void {
    const bytesMax = total > SMALL_BODY_BYTES ? this.largeBytesMax : this.#bytesMax;
    if (this.#heldBytes + more > bytesMax) throw this.#refusal();
    this.#heldBytes += more;
  }

  give(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

class BodyShare {
  readonly #memory: BodyMemory;
  #bytes = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** @throws ApiError; the share stays as it was */
  holdAtLeast(bytes: number): void {
    if (bytes <= this.#bytes) return;
    this.#memory.take(bytes - this.#bytes, bytes);
    this.#bytes = bytes;
  }

  /** May be called several times. */
  release(): void {
    this.#memory.give(this.#bytes);
    this.#bytes = 0;
  }
}

export type { BodyShare };
