/** Events of a stream, at every cut of its bytes. */
import { describe, expect, it } from 'vitest';
import { EventTooLong, readEvents } from '../../../src/chat/provider-stream.ts';

const STREAM = Buffer.from(
  '\uFEFF: comment\n\ndata: {"a":"é🙂"}\n\nevent: x\r\ndata:two\r\ndata: lines\r\n\r\nid: 1\rdata: last\r\r',
);
const DATA = ['{"a":"é🙂"}', 'two\nlines', 'last'];

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function readIn(chunks: readonly Uint8Array[], charsMax = 100): Promise<string[]> {
  const events: string[] = [];
  for await (const data of readEvents(streamOf(chunks), charsMax)) events.push(data);
  return events;
}

describe('events', () => {
  it('are the same when the bytes are cut at any place', async () => {
    for (let at = 0; at <= STREAM.length; at += 1) {
      const events = await readIn([STREAM.subarray(0, at), STREAM.subarray(at)]);
      expect(events, `cut at ${at}`).toEqual(DATA);
    }
  });

  it('are the same when each byte comes alone', async () => {
    expect(await readIn([...STREAM].map((byte) => Uint8Array.of(byte)))).toEqual(DATA);
  });

  it('come as soon as their blank line does, the last one at the end', async () => {
    let read = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (const text of ['data: a\n', '\ndata: b']) {
        read += 1;
        yield Buffer.from(text);
      }
    }
    const events = readEvents(chunks(), 100);
    expect([await events.next(), read]).toEqual([{ done: false, value: 'a' }, 2]);
    expect(await events.next()).toEqual({ done: false, value: 'b' });
  });

  it('are refused when they are too long, within a line and over many', async () => {
    const endless = Buffer.from(`data: ${'x'.repeat(101)}`);
    await expect(readIn([endless])).rejects.toThrow(EventTooLong);
    const lines = Buffer.from('data: 123456789\n'.repeat(12));
    await expect(readIn([lines])).rejects.toThrow(EventTooLong);
    expect(await readIn([Buffer.from(`data: ${'x'.repeat(94)}\n\n`.repeat(50))])).toHaveLength(50);
  });
});
