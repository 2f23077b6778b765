/**
 * Ends connections whose request body comes too slowly, as uWebSockets.js does by itself: each would
 * hold memory for as long as its client likes.
 */
import type { IncomingMessage } from 'node:http';

/** What has to come between two looks. */
const INTERVAL_MS = 10_000;
const BYTES_MIN = 16_384 * (INTERVAL_MS / 1000);

export class SlowBodies {
  /** Requests whose body is under way, with what their connection had read at the last look. */
  readonly #bytesRead = new Map<IncomingMessage, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs = INTERVAL_MS) {
    this.#timer = setInterval(() => this.#look(), intervalMs).unref();
  }

  watch(request: IncomingMessage): void {
    // The first look only begins to count: what came before it came in less than the interval.
    this.#bytesRead.set(request, Number.NEGATIVE_INFINITY);
    request.once('close', () => this.#bytesRead.delete(request));
    request.once('end', () => this.#bytesRead.delete(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [request, before] of this.#bytesRead) {
      const { bytesRead } = request.socket;
      // Nothing is read of a paused one.
      if (!request.isPaused() && bytesRead - before < BYTES_MIN) request.socket.destroy();
      else this.#bytesRead.set(request, bytesRead);
    }
  }
}
