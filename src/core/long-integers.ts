/** Integers of at least 16 digits in JSON: a 64-bit float does not keep all digits of longer ones. */

const LONG_INTEGER = /\d{16}/;
/** Strings, to skip them, and integers of at least 16 digits. */
const STRINGS_AND_LONG_INTEGERS = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g;

/** The JSON with other text for each long integer. */
export const replaceLongIntegers = (json: string, replace: (digits: string) => string): string =>
  LONG_INTEGER.test(json)
    ? json.replace(STRINGS_AND_LONG_INTEGERS, (token) =>
        token.startsWith('"') ? token : replace(token),
      )
    : json;

/** The value of the JSON, with long integers as strings of their digits. @throws SyntaxError */
export const parseWithDigits = (json: string): unknown =>
  JSON.parse(replaceLongIntegers(json, (digits) => `"${digits}"`));
