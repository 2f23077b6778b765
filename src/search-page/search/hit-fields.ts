/** Parts of a hit for display: title, image and other fields, in the order of the index. Pure. */

import { isObject } from '../../core/json.ts';

export type NamedValue = readonly [name: string, value: unknown];

/** Names that decide the order of fields and the choice of the title. */
export interface IndexFields {
  readonly primaryKey: string | null;
  /** Setting `displayedAttributes`; empty or `*` = all. */
  readonly displayed: readonly string[];
  /** Setting `searchableAttributes`; empty or `*` = all. */
  readonly searchable: readonly string[];
}

export interface HitParts {
  /** Value of the primary key, null if it is unknown or the title. */
  readonly id: string | null;
  readonly title: NamedValue | null;
  /** URL of the image, null = none. */
  readonly image: string | null;
  readonly fields: readonly NamedValue[];
}

const TITLE_NAME = /^(?:title|name|label|headline|heading|subject)$/i;
const IMAGE_NAME = /image|img|poster|picture|photo|thumb|cover|avatar|logo/i;
const IMAGE_FILE = /\.(?:png|jpe?g|webp|gif|avif|svg)(?:[?#]|$)/i;
const IS_URL = /^[a-z][a-z\d+.-]*:\/\//i;

/** URL of an image that a page may load: https, or inside the document as data. */
export function imageUrlOf([name, value]: NamedValue): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== 'string') return null;
  if (first.startsWith('data:image/')) return first;
  const isImage = IMAGE_NAME.test(name) || IMAGE_FILE.test(first);
  return isImage && first.startsWith('https://') ? first : null;
}

/** Explicit names in their order, then the document's other fields in the document's order. */
function inOrder(fields: readonly NamedValue[], names: readonly string[]): readonly NamedValue[] {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  const placeOf = ([name]: NamedValue) => places.get(name) ?? names.length;
  return [...fields].sort((left, right) => placeOf(left) - placeOf(right));
}

function titleOf(fields: readonly NamedValue[], primaryKey: string | null): NamedValue | null {
  const isText = ([name, value]: NamedValue) =>
    typeof value === 'string' && value !== '' && name !== primaryKey && !IS_URL.test(value);
  const texts = fields.filter(isText);
  return texts.find(([name]) => TITLE_NAME.test(name)) ?? texts[0] ?? fields[0] ?? null;
}

/** Members of objects as stored where their highlighted copy is the same as text: `1` for `"1"`. */
function withNumbers(original: unknown, shown: unknown): unknown {
  if (Array.isArray(original) && Array.isArray(shown))
    return shown.map((item, i) => withNumbers(original[i], item));
  if (isObject(original) && isObject(shown))
    return Object.fromEntries(
      Object.entries(shown).map(([name, item]) => [name, withNumbers(original[name], item)]),
    );
  return String(original) === shown ? original : shown;
}

/**
 * @param original values as stored, which have no highlights
 * @param shown values with highlights
 */
export function hitParts(
  original: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
  { primaryKey, displayed, searchable }: IndexFields,
): HitParts {
  const isFilled = ([name, value]: NamedValue) => !name.startsWith('_') && value != null;
  const order = [...(displayed.includes('*') ? [] : displayed), ...searchable];
  const fields = inOrder(Object.entries(original).filter(isFilled), order);
  const title = titleOf(fields, primaryKey);
  const pictured = fields.find((field) => imageUrlOf(field) !== null) ?? null;
  const withMarks = ([name, value]: NamedValue): NamedValue => [
    name,
    withNumbers(value, shown[name] ?? value),
  ];
  const key = fields.find(([name]) => name === primaryKey && name !== title?.[0]) ?? null;
  return {
    id: key === null ? null : String(key[1]),
    title: title === null ? null : withMarks(title),
    image: pictured === null ? null : imageUrlOf(pictured),
    fields: fields.filter((field) => ![title, key, pictured].includes(field)).map(withMarks),
  };
}
