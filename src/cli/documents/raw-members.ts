/**
 * Splits an object into its members and an array into its elements as raw text, so that unchanged
 * values keep their digits and number format (`1` or `1.0`). The text must be valid JSON.
 */
import type { Json } from '../../core/json.ts';

const SPACE = /[ \t\n\r]*/y;
const SCALAR_END = /[,\]} \t\n\r]/g;
const MARK = /["[\]{}]/g;

/** Offset of the next character that is not white space. */
function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** @param at offset of the opening quote @returns offset after the closing quote */
function stringEnd(text: string, at: number): number {
  let quote = at;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    let before = quote - 1;
    while (text[before] === '\\') before -= 1;
    // An even number of backslashes escape each other.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}

function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at);
  if (text[at] !== '{' && text[at] !== '[') {
    SCALAR_END.lastIndex = at;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  MARK.lastIndex = at;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const isOpening = mark[0] === '{' || mark[0] === '[';
    if (mark[0] === '"') MARK.lastIndex = stringEnd(text, mark.index);
    else depth += isOpening ? 1 : -1;
    if (depth === 0) return mark.index + 1;
  }
  return text.length;
}

export function* rawElements(text: string): Generator<string> {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== ']') {
    const end = valueEnd(text, at);
    yield text.slice(at, end);
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** Members of an object; of duplicate names the last counts. */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== '}') {
    const nameEnd = stringEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    at = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, at);
    members.set(name, text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

interface ObjectChange {
  /** New and changed members. */
  readonly set: Json;
  readonly remove: readonly string[];
}

/** The object with the change, on one line. */
export function changedObject(text: string, { set, remove }: ObjectChange): string {
  const isSame = remove.length === 0 && Object.keys(set).length === 0;
  if (isSame && !text.includes('\n')) return text;
  const members = rawMembers(text);
  for (const name of remove) members.delete(name);
  for (const [name, value] of Object.entries(set)) members.set(name, JSON.stringify(value));
  const list = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  // Line ends occur only between tokens: within strings they are escaped.
  return `{${list.join(',')}}`.replace(/[\r\n]/g, ' ');
}
