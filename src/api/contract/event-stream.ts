/** Records as server-sent events, asked for again and again until the client leaves. */
import type { Changes } from '../../model/task.ts';
import type { StreamAnswer } from './answer.ts';

/** Then the client has to come back, with a key that is still good. */
const STREAM_MS_MAX = 3_600_000;
/** Says nothing, but shows that the connection lives. */
const COMMENT = ':\n\n';

/**
 * @param from a place in the list of changes
 * @param changesAfter resolves within seconds, with or without records
 */
export function eventStream<T>(
  from: number,
  changesAfter: (place: number) => Promise<Changes<T>>,
  nowMs: () => number,
): StreamAnswer {
  async function* stream(signal: AbortSignal): AsyncGenerator<string> {
    const endMs = nowMs() + STREAM_MS_MAX;
    yield COMMENT;
    let place = from;
    while (!signal.aborted && nowMs() < endMs) {
      const changes = await orAborted(changesAfter(place), signal);
      if (changes === null) return;
      place = changes.next;
      yield changes.records.map(toEvent).join('') || COMMENT;
    }
  }
  return { status: 200, contentType: 'text/event-stream', stream };
}

/** JSON has no line break, so one line is enough. */
const toEvent = (record: unknown): string => `data: ${JSON.stringify(record)}\n\n`;

/** null when the signal comes first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
