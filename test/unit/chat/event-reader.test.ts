/** Events of a stream, however its bytes arrive. */
import { describe, expect, it } from 'vitest';
import { EventReader, EventTooLong } from '../../../src/chat/event-reader.ts';

const STREAM = Buffer.from(
  '\uFEFF: comment\n\ndata: {"a":"é🙂"}\n\nevent: x\r\ndata:two\r\ndata: lines\r\n\r\nid: 1\rdata: last\r\r',
);
const DATA = ['{"a":"é🙂"}', 'two\nlines', 'last'];

const readIn = (pieces: readonly Uint8Array[], charsMax = 100): string[] => {
  const reader = new EventReader(charsMax);
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()];
};

describe('events', () => {
  it('are the same when the bytes are cut at any place', () => {
    for (let at = 0; at <= STREAM.length; at += 1)
      expect(readIn([STREAM.subarray(0, at), STREAM.subarray(at)]), `cut at ${at}`).toEqual(DATA);
  });

  it('are the same when each byte comes alone', () => {
    expect(readIn([...STREAM].map((byte) => Uint8Array.of(byte)))).toEqual(DATA);
  });

  it('come as soon as their blank line does', () => {
    const reader = new EventReader(100);
    expect(reader.read(Buffer.from('data: a\n'))).toEqual([]);
    expect(reader.read(Buffer.from('\ndata: b'))).toEqual(['a']);
    expect(reader.end()).toEqual(['b']);
  });

  it('are refused when they are too long, within a line and over many', () => {
    const endless = Buffer.from(`data: ${'x'.repeat(101)}`);
    expect(() => readIn([endless])).toThrow(EventTooLong);
    const lines = Buffer.from('data: 123456789\n'.repeat(12));
    expect(() => readIn([lines])).toThrow(EventTooLong);
    expect(readIn([Buffer.from(`data: ${'x'.repeat(94)}\n\n`.repeat(50))])).toHaveLength(50);
  });
});
