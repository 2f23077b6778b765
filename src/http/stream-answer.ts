/** Sends a body that comes into being meanwhile, no faster than the client takes it. */
import type { StreamAnswer } from '../api/contract/answer.ts';
import type { AnswerHead, Exchange } from './exchange.ts';

/** A client that takes nothing for so long is cut off. */
const STALL_MS = 60_000;

/**
 * Resolves when the stream has ended, by itself or because the client left or the server is
 * closing. A stream that throws is cut off, and what it threw given to `onFault`.
 */
export async function streamAnswer(
  exchange: Exchange,
  head: AnswerHead,
  stream: StreamAnswer['stream'],
  onFault: (error: unknown) => void,
  stallMs = STALL_MS,
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
