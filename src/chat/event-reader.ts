/** Reads server-sent events from bytes that may be split anywhere. */
import { createParser } from 'eventsource-parser';

/** An event is longer than allowed. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong';
}

/**
 * Yields the data of each event, also of a last event without its blank line.
 * @param charsMax of one event
 * @throws EventTooLong
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  charsMax: number,
): AsyncGenerator<string> {
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: charsMax,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw new EventTooLong(`an event has more than ${charsMax} characters`);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events;
}
