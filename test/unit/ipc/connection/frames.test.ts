/**
 * Frames: every split of the bytes gives the same messages; lengths are checked before bytes are
 * buffered.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader, ProtocolError } from '../../../../src/ipc/connection/frames.ts';

const readAll = (reader: FrameReader, chunks: readonly Buffer[]): unknown[] =>
  chunks.flatMap((chunk) => [...reader.push(chunk)]);

describe('FrameReader', () => {
  it('gives the same messages for every way of cutting the bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (messages, cuts) => {
          const bytes = Buffer.concat(messages.map(encodeFrame));
          const chunks: Buffer[] = [];
          for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
            const end = at + (cuts[cut % cuts.length] ?? 1);
            chunks.push(bytes.subarray(at, end));
            at = end;
          }
          const expected = messages.map((message) => JSON.parse(JSON.stringify(message)));
          expect(readAll(new FrameReader(1000_000), chunks)).toEqual(expected);
        },
      ),
    );
  });

  it('refuses a length over the limit without waiting for the bytes', () => {
    const header = Buffer.alloc(4);
    header.writeUInt32LE(101, 0);
    expect(() => readAll(new FrameReader(100), [header])).toThrow(ProtocolError);
  });

  it('takes a frame of exactly the limit', () => {
    const frame = encodeFrame('x'.repeat(98));
    expect(readAll(new FrameReader(100), [frame])).toEqual(['x'.repeat(98)]);
  });

  it('refuses bytes that are no JSON', () => {
    const frame = Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.from('{"a')]);
    expect(() => readAll(new FrameReader(100), [frame])).toThrow(ProtocolError);
  });

  it('keeps lone surrogates and zero bytes of texts', () => {
    const text = '\ud800 \u0000 é 😀';
    expect(readAll(new FrameReader(1000), [encodeFrame({ text })])).toEqual([{ text }]);
  });
});
