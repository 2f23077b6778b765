/** Numbers as the text that is indexed: integers of 64 bits keep their digits, others print as the shortest 64-bit float. */

const SIGNED_MIN = -(2n ** 63n);
const UNSIGNED_MAX = 2n ** 64n - 1n;
/** Any integer text of this length fits 64 bits. */
const SAFE_LENGTH = 18;
/** Longer integer text never does. */
const FITTING_LENGTH_MAX = 20;
const INTEGER = /^-?\d+$/;

/** The text of a JSON number, given its source. */
export function numberText(source: string): string {
  if (INTEGER.test(source) && source !== '-0') {
    if (source.length <= SAFE_LENGTH) return source;
    const value = source.length <= FITTING_LENGTH_MAX ? BigInt(source) : SIGNED_MIN - 1n;
    if (value >= SIGNED_MIN && value <= UNSIGNED_MAX) return source;
  }
  return floatText(Number(source));
}

/** Shortest decimal that reads back as `value`: `.0` when whole, an exponent from 1e16 up and below 1e-5. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= 16 || exponent < -5) return scientific;
  const decimal = String(value);
  return decimal.includes('.') ? decimal : `${decimal}.0`;
}
