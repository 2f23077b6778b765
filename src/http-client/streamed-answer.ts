/**
 * The body of an answer as chunks that are pulled: the next one is read from the connection when
 * the one before has been used.
 */
import { OutgoingError } from './outgoing-error.ts';
import type { OutgoingAnswer, OutgoingRequest, SendRequest } from './outgoing-http.ts';

export interface StreamedRequest extends Omit<OutgoingRequest, 'onChunk' | 'statusOnly'> {
  /** Without a byte for so long, while one is waited for, the request fails. */
  readonly stallMs: number;
}

type Outcome = { readonly answer: OutgoingAnswer } | { readonly error: unknown };

/**
 * Yields the body of an answer with status 200, and returns any other answer whole. Who stops
 * pulling ends the request. Throws `OutgoingError`.
 */
export async function* streamedAnswer(
  send: SendRequest,
  { stallMs, signal, ...request }: StreamedRequest,
): AsyncGenerator<Buffer, OutgoingAnswer> {
  const leave = new AbortController();
  const signals = signal === undefined ? [leave.signal] : [leave.signal, signal];
  let chunk: Buffer | null = null;
  let outcome: Outcome | null = null;
  let hasStalled = false;
  let wake: () => void = () => undefined;
  let used: () => void = () => undefined;
  const end = (ended: Outcome): void => {
    outcome = ended;
    wake();
  };
  send({
    ...request,
    signal: AbortSignal.any(signals),
    onChunk: (next) =>
      new Promise((resolve) => {
        chunk = next;
        used = resolve;
        wake();
      }),
  }).then(
    (answer) => end({ answer }),
    (error: unknown) => end({ error }),
  );
  const somethingComes = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        hasStalled = true;
        leave.abort();
      }, stallMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  try {
    for (;;) {
      if (chunk === null && outcome === null) await somethingComes();
      const next: Buffer | null = chunk;
      if (next !== null) {
        chunk = null;
        yield next;
        used();
      } else {
        return answerOf(outcome, hasStalled, request.url, stallMs);
      }
    }
  } finally {
    leave.abort();
    used();
  }
}

function answerOf(
  outcome: Outcome | null,
  hasStalled: boolean,
  url: string,
  stallMs: number,
): OutgoingAnswer {
  if (hasStalled)
    throw new OutgoingError(
      'timeout',
      `${new URL(url).origin} has sent nothing for ${stallMs / 1000} seconds.`,
    );
  if (outcome === null) throw new Error('woken without an outcome');
  if ('error' in outcome) throw outcome.error;
  return outcome.answer;
}
