/** Texts that clients may write for numbers: decimal, with optional sign, fraction and exponent. */

/**
 * No two parts of the pattern match the same characters, so a text of any length takes linear time:
 * `\d+\.?\d*` would try every split of a long row of digits.
 */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);
