/**
 * Memory of a front for request bodies, and for large answers until clients have read them: one
 * budget each for all concurrent requests. A part of each budget is reserved for small ones, so that
 * large bodies keep no search from being read, and large answers none from being sent.
 */
import { ApiError } from '../../core/errors.ts';

const LARGE_BODIES_SHARE = 0.75;
/** Bodies up to this size may use the whole budget. */
const SMALL_BODY_BYTES = 65_536;
/** All large answers together, in multiples of the largest answer, and at least. */
const LARGEST_ANSWERS = 4;
const ANSWERS_BYTES_MIN = 16 << 20;
/** Answers up to this size may use that much in addition to the budget. */
const SMALL_ANSWER_BYTES = 1 << 20;
const SMALL_ANSWERS_BYTES = 128 << 20;

/** @param bytesMax value of `--http-body-memory` */
export const requestMemory = (bytesMax: number): BodyMemory =>
  new BodyMemory({
    bytesMax,
    smallBytes: SMALL_BODY_BYTES,
    largeBytesMax: Math.max(SMALL_BODY_BYTES, Math.floor(bytesMax * LARGE_BODIES_SHARE)),
    refusal: () =>
      new ApiError(
        'payload_memory_exhausted',
        `The bodies of other requests fill the ${bytesMax} bytes that this instance has for them: retry later.`,
      ),
  });

/** @param answerBytesMax value of `--max-response-size` */
export function answerMemory(answerBytesMax: number): BodyMemory {
  const largeBytesMax = Math.max(ANSWERS_BYTES_MIN, LARGEST_ANSWERS * answerBytesMax);
  return new BodyMemory({
    bytesMax: largeBytesMax + SMALL_ANSWERS_BYTES,
    smallBytes: SMALL_ANSWER_BYTES,
    largeBytesMax,
    refusal: () =>
      new ApiError(
        'too_many_search_requests',
        `The responses that other clients have not read yet fill the ${largeBytesMax} bytes that this instance has for large responses: retry later.`,
      ),
  });
}

interface BodyMemoryOptions {
  readonly bytesMax: number;
  /** Bodies up to this size may use all of `bytesMax`. */
  readonly smallBytes: number;
  /** Of all bodies together, as far as a larger one may add to them. */
  readonly largeBytesMax: number;
  /** The error of a body that does not fit. */
  readonly refusal: () => ApiError;
}

export class BodyMemory {
  readonly #options: BodyMemoryOptions;
  #heldBytes = 0;

  constructor(options: BodyMemoryOptions) {
    this.#options = options;
  }

  /** Size of the largest body. */
  get largeBytesMax(): number {
    return this.#options.largeBytesMax;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  open(): BodyShare {
    return new BodyShare(this);
  }

  /** @param total size of the body that needs more. @throws ApiError */
  take(more: number, total: number): void {
    const { bytesMax, smallBytes, largeBytesMax, refusal } = this.#options;
    if (this.#heldBytes + more > (total > smallBytes ? largeBytesMax : bytesMax)) throw refusal();
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
