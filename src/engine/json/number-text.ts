/**
 * Numbers as the text that is indexed: integers of 64 bits keep their digits, others print as the
 * shortest 64-bit float.
 */

const SIGNED_MIN = -(2n ** 63n);
const UNSIGNED_MAX = 2n ** 64n - 1n;
/** Any integer text of this length fits 64 bits. */
const SAFE_LENGTH = 18;
/** Longer integer text never does. */
const FITTING_LENGTH_MAX = 20;
const INTEGER = /^-?\d+$/;

/** Whether the source of a JSON number is an integer of 64 bits, with or without a sign. */
export function isInteger64(source: string): boolean {
  if (!INTEGER.test(source) || source === '-0') return false;
  if (source.length <= SAFE_LENGTH) return true;
  const value = source.length <= FITTING_LENGTH_MAX ? BigInt(source) : SIGNED_MIN - 1n;
  return value >= SIGNED_MIN && value <= UNSIGNED_MAX;
}

/** The text of a JSON number, given its source. */
export const numberText = (source: string): string =>
  isInteger64(source) ? source : floatText(Number(source));

/**
 * Shortest decimal that reads back as `value`: `.0` when whole, an exponent from 1e16 up and below
 * 1e-5.
 */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= 16 || exponent < -5) return scientific;
  const decimal = String(value);
  return decimal.includes('.') ? decimal : `${decimal}.0`;
}

/** Digits that a 64-bit float keeps. */
const FLOAT_DIGITS = 15;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;

/**
 * Whether `numberText` leaves a JSON number unchanged; checks only its bytes, and is false in
 * doubt.
 */
export function isPrintedAsStored(utf8: Uint8Array, start: number, end: number): boolean {
  const first = utf8[start] === MINUS ? start + 1 : start;
  if (end - first > FLOAT_DIGITS) return false;
  let dot = -1;
  for (let at = first; at < end; at++) {
    const byte = utf8[at]!;
    if (byte === DOT) dot = at;
    else if (byte < ZERO || byte > ZERO + 9) return false;
  }
  if (dot < 0) return first === start || utf8[first] !== ZERO;
  // Small numbers print with an exponent; all other numbers print without trailing zeros.
  return utf8[first] !== ZERO && (utf8[end - 1] !== ZERO || end === dot + 2);
}
