/**
 * Server-sent events: records that are polled until the client disconnects, and streams of events
 * that may be silent for long.
 */
import { orNullIfAborted } from '../../core/unless-aborted.ts';
import type { Changes } from '../../model/task.ts';
import type { StreamAnswer } from './answer.ts';

/** Maximum duration of a stream; the client must then reconnect with a valid key. */
const STREAM_MS_MAX = 3_600_000;
/** A comment that keeps the connection alive. */
const COMMENT = ':\n\n';

/**
 * @param from position in the list of changes
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
      const changes = await orNullIfAborted(changesAfter(place), signal);
      if (changes === null) return;
      place = changes.next;
      yield changes.records.map(toEvent).join('') || COMMENT;
    }
  }
  return { status: 200, contentType: 'text/event-stream', stream };
}

/** Milliseconds between two comments. */
const COMMENT_MS = 5000;

/**
 * Events, with comments while there are none, and a comment at the start. @param onEnd called once
 * when the stream ends in any way
 */
export async function* withComments(
  events: AsyncGenerator<string>,
  onEnd: () => void,
  everyMs = COMMENT_MS,
): AsyncGenerator<string> {
  try {
    yield COMMENT;
    for (;;) {
      const next = events.next();
      while ((await within(next, everyMs)) === null) yield COMMENT;
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    onEnd();
    await events.return(undefined);
  }
}

/** null after the timeout. */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** JSON contains no line break, so one line is enough. */
const toEvent = (record: unknown): string => `data: ${JSON.stringify(record)}\n\n`;
