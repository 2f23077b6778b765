/**
 * Closes connections with slow request bodies, as uWebSockets.js does, because each would hold
 * memory for an unlimited time.
 */
import type { IncomingMessage } from 'node:http';

/** Minimum bytes per interval. */
const INTERVAL_MS = 10_000;
const BYTES_MIN = 16_384 * (INTERVAL_MS / 1000);

export class SlowBodies {
  /** Requests with an incomplete body → bytes read on the connection at the last check. */
  readonly #bytesRead = new Map<IncomingMessage, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs = INTERVAL_MS) {
    this.#timer = setInterval(() => this.look(), intervalMs).unref();
  }

  watch(request: IncomingMessage): void {
    // The first check only starts the count, because its interval is incomplete.
    this.#bytesRead.set(request, Number.NEGATIVE_INFINITY);
    request.once('close', () => this.#bytesRead.delete(request));
    request.once('end', () => this.#bytesRead.delete(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Called at each interval. */
  look(): void {
    for (const [request, before] of this.#bytesRead) {
      const { bytesRead } = request.socket;
      // A paused request is not read.
      if (!request.isPaused() && bytesRead - before < BYTES_MIN) request.socket.destroy();
      else this.#bytesRead.set(request, bytesRead);
    }
  }
}
