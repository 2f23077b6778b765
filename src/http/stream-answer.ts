/** Sends a body while it is produced, at the pace of the client. */
import type { StreamAnswer } from '../api/contract/answer.ts';
import type { AnswerHead, Exchange } from './exchange.ts';

/** A client that reads nothing for this many milliseconds is disconnected. */
const STALL_MS = 60_000;

interface StreamOptions {
  /** Receives the error of a stream that throws. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds; default: `STALL_MS`. */
  readonly stallMs?: number;
}

/**
 * Resolves when the stream has ended, by itself, because the client disconnected, or because the
 * server is closing. A stream that throws is cut off, and its error is passed to `onFault`.
 */
export async function streamAnswer(
  exchange: Exchange,
  head: AnswerHead,
  stream: StreamAnswer['stream'],
  { onFault, stallMs = STALL_MS }: StreamOptions,
): Promise<void> {
  const stop = new AbortController();
  let wake: () => void = () => undefined;
  const writer = exchange.open(head, {
    drained: () => wake(),
    stop: () => {
      stop.abort();
      wake();
    },
  });
  if (exchange.isAborted) stop.abort();
  stop.signal.addEventListener('abort', () => writer.end(), { once: true });
  const drained = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => writer.cut(), stallMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  try {
    for await (const chunk of stream(stop.signal)) {
      if (stop.signal.aborted) break;
      if (!writer.write(chunk)) await drained();
    }
    writer.end();
  } catch (error) {
    if (stop.signal.aborted) return;
    onFault(error);
    writer.cut();
  }
}
