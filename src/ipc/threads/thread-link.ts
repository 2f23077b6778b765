/**
 * Requests and news between two threads of a process, over the port that joins them. An error
 * crosses as code and message; a request whose caller leaves is told to be forgotten.
 */
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import type { Caller } from '../../core/caller.ts';
import { ApiError, fromWire, toWire, type WireError } from '../../core/errors.ts';

/** By name: what is asked, and what is answered. */
type Requests<R> = { [K in keyof R]: [unknown, unknown] };

export type LinkHandlers<R extends Requests<R>> = {
  readonly [K in keyof R]: (argument: R[K][0], caller: Caller) => R[K][1] | Promise<R[K][1]>;
};

export interface ThreadLinkOptions<Serves extends Requests<Serves>, Hears> {
  /** The thread, or inside it the port to the one that started it. */
  readonly port: Worker | MessagePort;
  readonly handlers: LinkHandlers<Serves>;
  readonly onNews: { readonly [K in keyof Hears]: (data: Hears[K]) => void };
  /** A handler failed with something that is no `ApiError`. */
  readonly onBug: (error: unknown) => void;
  /** Buffers of an answer that go over instead of being copied. */
  readonly transferred?: (answer: unknown) => Transferable[];
}

type Message =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly data: unknown }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly data: unknown }
  | { readonly kind: 'refuse'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'news'; readonly name: string; readonly data: unknown };

interface Pending {
  /** While the other side has not been told that it has left. */
  caller: Caller | null;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: ApiError) => void;
}

/** How late the other side may hear that a caller has left. */
const SWEEP_MS = 250;

export class ThreadLink<
  Asks extends Requests<Asks>,
  Serves extends Requests<Serves>,
  Tells,
  Hears,
> {
  readonly #options: ThreadLinkOptions<Serves, Hears>;
  readonly #pending = new Map<number, Pending>();
  /** Being answered here. */
  readonly #served = new Map<number, { isAborted: boolean }>();
  #nextId = 0;
  #sweep: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: ThreadLinkOptions<Serves, Hears>) {
    this.#options = options;
    options.port.on('message', (message: Message) => this.#receive(message));
  }

  /**
   * Rejects with `ApiError`, also when the other thread ends.
   * @param transfer what of `data` goes over instead of being copied
   */
  ask<K extends keyof Asks & string>(
    name: K,
    data: Asks[K][0],
    caller: Caller | null = null,
    transfer: readonly Transferable[] = [],
  ): Promise<Asks[K][1]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(threadGone());
      const id = this.#nextId++;
      this.#pending.set(id, { caller, resolve, reject });
      this.#post({ kind: 'ask', id, name, data }, transfer);
      if (caller !== null)
        this.#sweep ??= setInterval(() => this.#forgetAborted(), SWEEP_MS).unref();
    });
  }

  tell<K extends keyof Tells & string>(name: K, data: Tells[K]): void {
    if (!this.#isClosed) this.#post({ kind: 'news', name, data });
  }

  /** The other thread has ended. */
  close(): void {
    this.#isClosed = true;
    for (const caller of this.#served.values()) caller.isAborted = true;
    for (const { reject } of this.#pending.values()) reject(threadGone());
    this.#pending.clear();
    this.#stopSweep();
  }

  #post(message: Message, transfer: readonly Transferable[] = []): void {
    this.#options.port.postMessage(message, [...transfer]);
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'ask':
        void this.#serve(message.id, message.name as keyof Serves, message.data);
        return;
      case 'forget': {
        const caller = this.#served.get(message.id);
        if (caller !== undefined) caller.isAborted = true;
        return;
      }
      case 'news':
        this.#options.onNews[message.name as keyof Hears](message.data as never);
        return;
      case 'answer':
        this.#settle(message.id)?.resolve(message.data as never);
        return;
      case 'refuse':
        this.#settle(message.id)?.reject(fromWire(message.error));
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#stopSweep();
    return pending;
  }

  #stopSweep(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#sweep = null;
  }

  #forgetAborted(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.caller?.isAborted !== true) continue;
      pending.caller = null;
      this.#post({ kind: 'forget', id });
    }
  }

  async #serve(id: number, name: keyof Serves, argument: unknown): Promise<void> {
    const { handlers, onBug, transferred = () => [] } = this.#options;
    const caller = { isAborted: false };
    this.#served.set(id, caller);
    try {
      const data = await handlers[name](argument as never, caller);
      if (!this.#isClosed) this.#post({ kind: 'answer', id, data }, transferred(data));
    } catch (error) {
      if (!(error instanceof ApiError)) onBug(error);
      if (!this.#isClosed) this.#post({ kind: 'refuse', id, error: toWire(error) });
    } finally {
      this.#served.delete(id);
    }
  }
}

const threadGone = (): ApiError =>
  new ApiError('internal', 'The thread that was asked has ended. Please retry.');
