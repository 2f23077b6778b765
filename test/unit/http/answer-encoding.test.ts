/** Which compression a client gets. */
import { describe, expect, it } from 'vitest';
import { encodingFor } from '../../../src/http/answer-encoding.ts';

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
    expect(encodingFor(accepted)).toBe(encoding);
    expect(encodingFor(accepted)).toBe(encoding);
  });

  it('keeps choosing rightly when clients invent spellings', () => {
    for (let i = 0; i < 1000; i++) expect(encodingFor(`gzip, x-${i}`)).toBe('gzip');
  });
});
