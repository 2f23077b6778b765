/** Which compression a client gets. */
import { describe, expect, it } from 'vitest';
import { encodingFor } from '../../../src/http/answer-encoding.ts';

const LARGE = 1_000_000;

describe('encodingFor', () => {
  it.each([
    ['', null],
    ['*', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.1', 'br'],
    ['gzip;q=0, deflate', 'deflate'],
    ['gzip ; q=0.000', null],
    ['zstd, br', 'br'],
  ])('%j → %s', (accepted, encoding) => {
    expect(encodingFor(accepted, LARGE)).toBe(encoding);
    expect(encodingFor(accepted, LARGE)).toBe(encoding);
  });

  it.each([
    ['gzip', 'gzip'],
    ['br;q=0.5', 'br'],
    ['gzip, br', null],
    ['gzip, identity', null],
    ['gzip, *', null],
    ['gzip, br;q=0', 'gzip'],
  ])('for a small body %j → %s', (accepted, encoding) => {
    expect(encodingFor(accepted, 2)).toBe(encoding);
  });

  it('keeps choosing rightly when clients invent spellings', () => {
    for (let i = 0; i < 1000; i++) expect(encodingFor(`gzip, x-${i}`, LARGE)).toBe('gzip');
  });
});
