/**
 * Holds the body of a request that must be authorized first, when that takes longer than the
 * adapter's handler. The sender is paused; received bytes count against the budget of bodies.
 */
import type { BodyShare } from '../api/contract/body-memory.ts';
import type { BodyReceiver, Exchange } from './exchange.ts';

/** An exchange as far as its body is concerned. */
export type BodySource = Pick<Exchange, 'headers' | 'receive' | 'pause' | 'resume'>;

const IGNORES: BodyReceiver = {
  chunk: () => undefined,
  end: () => undefined,
  abort: () => undefined,
};

export class HeldBody implements BodySource {
  readonly #exchange: Exchange;
  readonly #share: BodyShare;
  #receiver: BodyReceiver | null = null;
  /** Calls for the receiver, in order. */
  #held: ((receiver: BodyReceiver) => void)[] = [];
  #bytes = 0;
  #fault: unknown = null;

  /** Must be called before the exchange's handler returns. */
  constructor(exchange: Exchange, share: BodyShare) {
    this.#exchange = exchange;
    this.#share = share;
    const pass = (call: (receiver: BodyReceiver) => void): void => {
      if (this.#receiver === null) this.#held.push(call);
      else call(this.#receiver);
    };
    exchange.receive({
      chunk: (chunk) => {
        if (this.#receiver === null) this.#hold(chunk);
        else this.#receiver.chunk(chunk);
      },
      end: () => pass((receiver) => receiver.end()),
      abort: () => pass((receiver) => receiver.abort()),
    });
  }

  get headers(): Exchange['headers'] {
    return this.#exchange.headers;
  }

  /** @throws ApiError `payload_memory_exhausted` */
  receive(receiver: BodyReceiver): void {
    if (this.#fault !== null) {
      this.drop();
      throw this.#fault;
    }
    this.#receiver = receiver;
    for (const call of this.#held.splice(0)) call(receiver);
    this.#exchange.resume();
  }

  /** The request is refused: its body is read and ignored. */
  drop(): void {
    this.#receiver = IGNORES;
    this.#held = [];
    this.#exchange.resume();
  }

  pause(): void {
    this.#exchange.pause();
  }

  resume(): void {
    this.#exchange.resume();
  }

  #hold(chunk: Uint8Array): void {
    this.#exchange.pause();
    this.#bytes += chunk.length;
    try {
      this.#share.holdAtLeast(this.#bytes);
      const copy = Buffer.from(chunk);
      this.#held.push((receiver) => receiver.chunk(copy));
    } catch (error) {
      this.#fault ??= error;
    }
  }
}
