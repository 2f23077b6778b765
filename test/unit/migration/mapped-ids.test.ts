/** Ids of other systems become valid ids, different ones for different ids. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedId } from '../../../src/migration/mapped-ids.ts';
import { amount } from '../../support/run-length.ts';

const ids = fc.string({ unit: fc.constantFrom('a', '_', 'x', '2', 'f', '/', ' ', 'é', '-') });

describe('an id', () => {
  it.each([
    ['abc-1_2', 'abc-1_2'],
    ['a/1', 'a_x2f_1'],
    ['https://x.org', 'https_x3a2f2f_x_x2e_org'],
    ['été', '_xc3a9_t_xc3a9_'],
    ['a_x2f_1', 'a_x5f_x2f_1'],
    ['', '_x_'],
  ])('%j is %j', (id, allowed) => expect(allowedId(id)).toBe(allowed));

  it('becomes valid, and different from other ids', () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        expect(allowedId(one)).toMatch(/^[A-Za-z0-9_-]{1,511}$/);
        expect(allowedId(one) === allowedId(other)).toBe(one === other);
      }),
      { numRuns: amount(500, 2000) },
    );
  });

  it('that is too long becomes a digest', () => {
    expect(allowedId('/'.repeat(600))).toMatch(/^_x[0-9a-f]+_$|^_xlong_[0-9a-f]{64}$/);
    expect(allowedId('a'.repeat(600))).not.toBe(allowedId('a'.repeat(601)));
  });
});
