/**
 * Shows other nodes that this one writes: rewrites its note at an interval, so that a node that sees
 * no change for longer can take over.
 */
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { writerNote } from './writer-note.ts';

export interface WriterHeartbeatOptions {
  readonly store: Pick<KeyValueStore, 'write'>;
  readonly nodeId: string;
  readonly url: string;
  readonly everyMs: number;
  /** The store refuses writes from now on. */
  readonly onFailure: (error: unknown) => void;
}

export class WriterHeartbeat {
  readonly #options: WriterHeartbeatOptions;
  #beat = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | null = null;

  private constructor(options: WriterHeartbeatOptions) {
    this.#options = options;
  }

  /** Resolves when the store names this node as its writer. */
  static async start(options: WriterHeartbeatOptions): Promise<WriterHeartbeat> {
    const heartbeat = new WriterHeartbeat(options);
    await heartbeat.confirm();
    heartbeat.#schedule();
    return heartbeat;
  }

  /** Resolves when the store has accepted a write: no other node wrote before. */
  async confirm(): Promise<void> {
    // A later note must not hide that this node has stopped.
    if (this.#isStopped) throw new Error('this node has stopped to write');
    await this.#write(false);
  }

  /** Resolves when the store names no writer; another node may write at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#write(true);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#next(), this.#options.everyMs).unref();
  }

  async #next(): Promise<void> {
    try {
      await this.confirm();
      if (!this.#isStopped) this.#schedule();
    } catch (error) {
      if (!this.#isStopped) this.#options.onFailure(error);
    }
  }

  async #write(hasStopped: boolean): Promise<void> {
    const { store, nodeId, url } = this.#options;
    await store.write([writerNote({ nodeId, url, beat: this.#beat++, hasStopped })]);
  }
}
