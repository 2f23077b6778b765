/** Which texts are numbers, and that long ones take linear time. */
import { expect, it } from 'vitest';
import { isDecimal } from '../../../src/core/decimal-text.ts';

it.each(['0', '1', '-1', '+1', '1.', '1.5', '.5', '-.5', '1e3', '1.E+3', '.5e-3', '007'])(
  'takes %s',
  (text) => expect(isDecimal(text)).toBe(true),
);

it.each(['', '.', '-', '1.5.', 'e3', '1e', '1e+', ' 1', '1\n', '0x1', '١', 'NaN', 'Infinity'])(
  'refuses %j',
  (text) => expect(isDecimal(text)).toBe(false),
);

it('takes linear time for millions of digits', () => {
  const digits = '1'.repeat(3_000_000);
  expect([digits, `${digits}.${digits}`, `${digits}e${digits}`].map(isDecimal)).toEqual([
    true,
    true,
    true,
  ]);
  for (const end of ['x', '.x', `.${digits}x`, 'ex', `e${digits}x`])
    expect(isDecimal(`${digits}${end}`)).toBe(false);
});
