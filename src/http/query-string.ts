/** Parses query strings: each parameter becomes the JSON value that its schema checks. */
import { isDecimal } from '../core/decimal-text.ts';
import { JsonError } from '../engine/json/json-error.ts';
import { notesOf, type TextForm, type TSchema } from '../model/schemas/schema.ts';
import { parseBoundedJson } from './json-body.ts';

const INTEGER_MAX = 2n ** 64n - 1n;

const parseInteger = (text: string): number | string =>
  /^\+?\d{1,20}$/.test(text) && BigInt(text) <= INTEGER_MAX ? Number(text) : text;
const parseNumber = (text: string): number | string => (isDecimal(text) ? Number(text) : text);
const parseBoolean = (text: string): boolean | string =>
  text === 'true' ? true : text === 'false' ? false : text;
/** Empty elements are left out. */
const splitList = (text: string): string[] => text.split(',').filter((item) => item !== '');

/** Commas inside parentheses do not separate. Takes linear time, from the end. */
function splitSort(text: string): string[] {
  const parts: string[] = [];
  let end = text.length;
  let isInside = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    if (character === ')') isInside = true;
    else if (character === '(') isInside = false;
    else if (character === ',' && !isInside) {
      parts.push(text.slice(at + 1, end).trim());
      end = at;
    }
  }
  parts.push(text.slice(0, end).trim());
  return parts.reverse();
}

/** JSON `null` stays text, too: an absent parameter is the one without a value. */
function parseJsonOrText(text: string): unknown {
  try {
    return parseBoundedJson(Buffer.from(text)) ?? text;
  } catch (error) {
    if (error instanceof JsonError) return text;
    throw error;
  }
}

/** A text without the required form stays text, which the schema refuses. */
const forms: Readonly<Record<TextForm, (text: string) => unknown>> = {
  integer: parseInteger,
  number: parseNumber,
  boolean: parseBoolean,
  anyCaseBoolean: (text) => parseBoolean(text.toLowerCase()),
  list: splitList,
  numbers: (text) => splitList(text).map((item) => parseNumber(item.trim())),
  jsonOrText: parseJsonOrText,
  sort: splitSort,
};

/**
 * A `%` without two hexadecimal digits stays, so that `?q=100%` finds it; bytes that are not UTF-8
 * become U+FFFD.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return new URLSearchParams(`text=${text}`).get('text') ?? '';
    throw error;
  }
}

/**
 * @param schema of an object whose members have notes about their query-string form. Unknown
 * parameters stay text.
 */
export function decodeQueryString(queryString: string, schema: TSchema): Record<string, unknown> {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  const values = Object.create(null) as Record<string, unknown>;
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const text = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const form = member && notesOf(member).text;
    values[name] = form === undefined ? text : forms[form](text);
  }
  return values;
}
