/** Numbers of vectors parsed from bytes equal the numbers that JavaScript parses. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { floatOf, readFloats } from '../../src/engine/json/float-value.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { amount } from '../support/run-length.ts';

const digits = (minLength: number, maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength })
    .map((values) => values.join(''));
const sign = fc.constantFrom('', '-');
const whole = digits(1, 24).map((text) => text.replace(/^0+(?=.)/, ''));
const fraction = fc.oneof(
  fc.constant(''),
  digits(1, 30).map((text) => `.${text}`),
  fc.tuple(fc.nat(30), digits(1, 20)).map(([zeros, text]) => `.${'0'.repeat(zeros)}${text}`),
);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('e', 'E', 'e-', 'e+'), fc.nat(60))
      .map(([mark, value]) => `${mark}${value}`),
  },
);
const written = fc.tuple(sign, whole, fraction, exponent).map((parts) => parts.join(''));

const float = fc.float({ noNaN: true, noDefaultInfinity: true });
/** Text that JavaScript and Python write for a 32-bit float converted to 64 bits. */
const widened = float.map((value) => JSON.stringify(value));
const component = fc.float({ min: -1, max: 1, noNaN: true });
const shortened = fc
  .tuple(component, fc.integer({ min: 1, max: 17 }))
  .map(([value, precision]) => String(Number(value.toPrecision(precision))));
/** Text half-way between two 32-bit floats, and as close to it as text can be. */
const halfWay = fc
  .tuple(fc.float({ min: Math.fround(1e-4), max: 8, noNaN: true }), fc.constantFrom('', '1', '5'))
  .map(([value, more]) => {
    const next = new Float32Array(new Uint32Array([wordOf(value) + 1]).buffer)[0] ?? 0;
    const text = ((value + next) / 2).toFixed(40);
    return more === '' ? text.replace(/0+$/, '') : `${text}${more}`;
  });

const wordOf = (value: number): number => new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;

function tapeOf(text: string): JsonTape {
  const bytes = new TextEncoder().encode(text);
  const tape = new JsonTape();
  tape.scan(bytes, 0, bytes.length);
  return tape;
}

it('reads the float that JavaScript reads, to the last bit', () => {
  const numbers = fc.oneof(written, widened, shortened, halfWay);
  fc.assert(
    fc.property(numbers, (text) => {
      const read = floatOf(tapeOf(text), 0);
      if (!Object.is(read, Math.fround(Number(text)))) throw new Error(`${text} became ${read}`);
    }),
    { numRuns: amount(5000, 80_000) },
  );
});

it('reads arrays of the expected number of finite numbers, and no others', () => {
  const into = new Float32Array(3);
  expect(readFloats(tapeOf('[0.1, -2, 3e-7]'), 0, into)).toBe(true);
  expect([...into]).toEqual([0.1, -2, 3e-7].map(Math.fround));
  for (const other of ['[1,2]', '[1,2,3,4]', '[1,2,null]', '[1,[2]]', '[1,2,1e39]', '{"a":1}'])
    expect(readFloats(tapeOf(other), 0, into), other).toBe(false);
});
