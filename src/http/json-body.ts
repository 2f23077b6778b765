/** Parses JSON bodies: bounded depth, UTF-8 only, and the place of a syntax error in the message. */
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True when arrays and objects are nested deeper than `depthMax`, whether or not the text is JSON. */
export function isNestedDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > depthMax) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const matchEnd = (pattern: RegExp, text: string, start: number): number => {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  return match === null ? -1 : start + match[0].length;
};

/** Position after the string that starts at `start`, or -1 when it is none. */
function stringEnd(text: string, start: number): number {
  let i = start + 1;
  for (;;) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i + 1;
    if (unit === BACKSLASH) {
      i = matchEnd(ESCAPE, text, i);
      if (i < 0) return -1;
    } else if (unit >= 0x20) i++;
    else return -1;
  }
}

/** Position after the string, number or literal that starts at `start`, or -1 when there is none. */
const scalarEnd = (text: string, start: number): number =>
  text.charCodeAt(start) === QUOTE ? stringEnd(text, start) : matchEnd(ATOM, text, start);

type Expected =
  | 'a value'
  | 'a value or `]`'
  | 'a member name'
  | 'a member name or `}`'
  | '`:`'
  | '`,` or the end of the array or object'
  | 'nothing more';

const AFTER_ITEM: Expected = '`,` or the end of the array or object';
const CLOSABLE: ReadonlySet<Expected> = new Set<Expected>(['a value or `]`', 'a member name or `}`', AFTER_ITEM]);

interface Progress {
  readonly position: number;
  readonly expected: Expected;
}

/** What follows a complete piece at `position`, or null when the piece is not what was expected. `open` holds the open brackets. */
function step(text: string, { position, expected }: Progress, open: string[]): Progress | null {
  const char = text[position];
  const afterValue = (): Expected => (open.length === 0 ? 'nothing more' : AFTER_ITEM);
  const after = (end: number, next: () => Expected): Progress | null =>
    end < 0 ? null : { position: end, expected: next() };
  if (CLOSABLE.has(expected) && char === (open.at(-1) === '[' ? ']' : '}')) {
    open.pop();
    return after(position + 1, afterValue);
  }
  switch (expected) {
    case 'a value':
    case 'a value or `]`':
      if (char !== '[' && char !== '{') return after(scalarEnd(text, position), afterValue);
      open.push(char);
      return after(position + 1, () => (char === '[' ? 'a value or `]`' : 'a member name or `}`'));
    case 'a member name':
    case 'a member name or `}`':
      return after(char === '"' ? stringEnd(text, position) : -1, () => '`:`');
    case '`:`':
      return after(char === ':' ? position + 1 : -1, () => 'a value');
    case AFTER_ITEM:
      return after(char === ',' ? position + 1 : -1, () => (open.at(-1) === '[' ? 'a value' : 'a member name'));
    default:
      return null;
  }
}

/** Where a text stops being JSON: its length when it ends too early. The text must not be JSON. */
export function locateSyntaxError(text: string): Progress {
  const open: string[] = [];
  let progress: Progress = { position: 0, expected: 'a value' };
  for (;;) {
    let { position } = progress;
    while (isSpace(text.charCodeAt(position))) position++;
    progress = { position, expected: progress.expected };
    const next = position >= text.length ? null : step(text, progress, open);
    if (next === null) return progress;
    progress = next;
  }
}

const malformed = (problem: string): ApiError => new ApiError('malformed_payload', `The body is not JSON: ${problem}.`);

function syntaxError(text: string): ApiError {
  const { position, expected } = locateSyntaxError(text);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  const found = position >= text.length ? 'the end of the body' : `\`${text.slice(position, position + 10)}\``;
  return malformed(`expected ${expected} but found ${found} at position ${position} (line ${line}, column ${column})`);
}

/** The value of a JSON text. Throws `missing_payload` or `malformed_payload`. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new ApiError('missing_payload', 'The request needs a body, which is empty.');
  if (isNestedDeeperThan(bytes, limits.jsonDepthMax)) {
    throw malformed(`arrays and objects are nested deeper than ${limits.jsonDepthMax} levels`);
  }
  if (!isUtf8(bytes)) throw malformed('it is not encoded in UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw syntaxError(text);
    throw error;
  }
}
