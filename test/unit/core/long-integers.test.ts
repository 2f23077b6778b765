/** Long integers in JSON keep their digits. */
import { expect, it } from 'vitest';
import { parseWithDigits } from '../../../src/core/long-integers.ts';

it.each([
  [
    '{"id":1234567890123456789,"n":-9007199254740993}',
    { id: '1234567890123456789', n: '-9007199254740993' },
  ],
  ['[123456789012345]', [123456789012345]],
  [
    '[0.1234567890123456,12345678901234.25,1234567890123456e2]',
    [0.1234567890123456, 12345678901234.25, 1234567890123456e2],
  ],
  [
    '["a 1234567890123456789","\\"1234567890123456789"]',
    ['a 1234567890123456789', '"1234567890123456789'],
  ],
])('%s is read with all digits', (json, value) => expect(parseWithDigits(json)).toEqual(value));
