/**
 * Goal: freed memory goes back where the allocator allows it, and asking for it is harmless
 * everywhere.
 */
import { describe, expect, it } from 'vitest';
import { releaseFreedMemory } from '../../../src/host/freed-memory.ts';

const CHUNK_BYTES = 64 << 10;
const CHUNKS = 2000;

describe('freed memory', () => {
  it('may be released at any time, again and again, and what is held stays as it is', () => {
    const held = Array.from({ length: CHUNKS }, (_, i) =>
      new Uint8Array(CHUNK_BYTES).fill(i & 0xff),
    );
    for (let i = 0; i < held.length; i += 2) held[i] = new Uint8Array(1).fill(i & 0xff);
    releaseFreedMemory();
    releaseFreedMemory();
    expect(
      held.every((bytes, i) => bytes[0] === (i & 0xff) && bytes[bytes.length - 1] === (i & 0xff)),
    ).toBe(true);
  });
});
