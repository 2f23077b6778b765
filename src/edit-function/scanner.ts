/** Scans script text to tokens. Template strings contain the tokens of their expressions. */
import { editLimits } from './edit-limits.ts';
import { type ScriptError, syntaxError } from './script-error.ts';

export interface ScriptToken {
  readonly kind:
    | 'int'
    | 'float'
    | 'text'
    | 'char'
    | 'template'
    | 'name'
    | 'keyword'
    | 'symbol'
    | 'end';
  readonly at: number;
  /** The symbol, name or keyword; the text of a string or character; digits of a number. */
  readonly text: string;
  /** Parts of a template: alternating texts and expressions. */
  readonly parts?: readonly (string | readonly ScriptToken[])[];
}

const KEYWORDS: ReadonlySet<string> = new Set(
  'let const if else switch do while until loop for in break continue return throw try catch fn true false'.split(
    ' ',
  ),
);
/**
 * Reserved words of the language that edit functions do not support; not valid as variable names.
 */
export const RESERVED: ReadonlySet<string> = new Set(
  'import export as private public protected eval static shared var new use is match case default spawn thread go sync async await yield void with module package super goto null nil'.split(
    ' ',
  ),
);
/** Longest first. */
const SYMBOLS = [
  ...'..= **= <<= >>= == != <= >= && || ?? ?. ?[ .. ** << >>'.split(' '),
  ...'+= -= *= /= %= &= |= ^= => #{'.split(' '),
  ...'+-*/%&|^!=<>()[]{},;:._'.split(''),
];
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const RADIX = /0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)/y;
const NUMBER = /[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[\s\u0085]+/y;
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
};
const CODE_POINT_MAX = 0x10ffff;

/** @throws ScriptError */
export const scan = (source: string): readonly ScriptToken[] => new Scanner(source).tokens(false);

function bracesOpenedBy({ kind, text }: ScriptToken): number {
  if (kind !== 'symbol') return 0;
  if (text === '}') return -1;
  return text === '{' || text === '#{' ? 1 : 0;
}

class Scanner {
  readonly #source: string;
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param isInTemplate true: ends at the closing brace of the expression */
  tokens(isInTemplate: boolean): ScriptToken[] {
    const tokens: ScriptToken[] = [];
    let braces = 0;
    for (;;) {
      this.#skip();
      const token = this.#next();
      if (token.kind === 'end' && isInTemplate)
        throw this.#error('expected `}` after the expression in the string');
      braces += bracesOpenedBy(token);
      if (braces < 0 && isInTemplate) return [...tokens, { kind: 'end', at: token.at, text: '' }];
      tokens.push(token);
      if (token.kind === 'end') return tokens;
    }
  }

  #next(): ScriptToken {
    const at = this.#at;
    const first = this.#source[at];
    if (first === undefined) return { kind: 'end', at, text: '' };
    if (first === '"') return { kind: 'text', at, text: this.#quoted('"') };
    if (first === "'") return this.#char(at);
    if (first === '`') return this.#template(at);
    if (first === '#' && /^#+"/.test(this.#source.slice(at, at + 16)))
      return { kind: 'text', at, text: this.#raw() };
    const name = this.#match(NAME);
    if (name !== null && name !== '_') {
      return {
        kind: KEYWORDS.has(name) || RESERVED.has(name) ? 'keyword' : 'name',
        at,
        text: name,
      };
    }
    this.#at = at;
    const number = this.#number(at);
    if (number !== null) return number;
    const symbol = SYMBOLS.find((candidate) => this.#source.startsWith(candidate, at));
    if (symbol === undefined) throw this.#error(`unexpected character \`${first}\``);
    this.#at += symbol.length;
    return { kind: 'symbol', at, text: symbol };
  }

  #number(at: number): ScriptToken | null {
    const radix = this.#match(RADIX);
    if (radix !== null) return { kind: 'int', at, text: radix.replaceAll('_', '') };
    const number = this.#match(NUMBER);
    if (number === null) return null;
    return { kind: /[.eE]/.test(number) ? 'float' : 'int', at, text: number.replaceAll('_', '') };
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  /** White space and comments; block comments nest. */
  #skip(): void {
    for (;;) {
      this.#match(SPACE);
      if (this.#source.startsWith('//', this.#at)) {
        const end = this.#source.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#source.length : end;
      } else if (this.#source.startsWith('/*', this.#at)) this.#skipComment();
      else return;
    }
  }

  #skipComment(): void {
    const start = this.#at;
    let depth = 0;
    do {
      if (this.#at >= this.#source.length) throw syntaxError('the comment does not end', start);
      const two = this.#source.slice(this.#at, this.#at + 2);
      if (two === '/*') depth += 1;
      if (two === '*/') depth -= 1;
      this.#at += two === '/*' || two === '*/' ? 2 : 1;
    } while (depth > 0);
  }

  /** Text after the quote at the current position up to the closing quote. */
  #quoted(quote: '"' | "'"): string {
    const start = this.#at;
    let text = '';
    this.#at += 1;
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined || char === '\n') throw syntaxError('the string does not end', start);
      if (char === '\\') text += this.#escape();
      else if (char === quote) {
        this.#at += 1;
        if (quote !== '"' || this.#source[this.#at] !== '"') return text;
        text += '"';
        this.#at += 1;
      } else {
        text += char;
        this.#at += 1;
      }
    }
  }

  #escape(): string {
    const letter = this.#source[this.#at + 1] ?? '';
    if (letter === '\n') {
      this.#at += 2;
      this.#match(SPACE);
      return '';
    }
    const digits = HEX_ESCAPES[letter];
    if (digits !== undefined) {
      const hex = this.#source.slice(this.#at + 2, this.#at + 2 + digits);
      const point =
        hex.length === digits && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : -1;
      if (point < 0 || point > CODE_POINT_MAX || (point >= 0xd800 && point <= 0xdfff))
        throw this.#error(`\`\\${letter}\` needs the ${digits} hexadecimal digits of a character`);
      this.#at += 2 + digits;
      return String.fromCodePoint(point);
    }
    const plain = ESCAPES[letter];
    if (plain === undefined) throw this.#error(`unknown escape \`\\${letter}\``);
    this.#at += 2;
    return plain;
  }

  #char(at: number): ScriptToken {
    const text = this.#quoted("'");
    if ([...text].length !== 1)
      throw syntaxError(
        'a character in single quotes is exactly one; a string has double quotes',
        at,
      );
    return { kind: 'char', at, text };
  }

  /** `#"…"#`, with any number of `#`. */
  #raw(): string {
    const start = this.#at;
    const open = this.#source.indexOf('"', start);
    const close = `"${'#'.repeat(open - start)}`;
    const end = this.#source.indexOf(close, open + 1);
    if (end < 0) throw syntaxError('the string does not end', start);
    this.#at = end + close.length;
    return this.#source.slice(open + 1, end);
  }

  #template(at: number): ScriptToken {
    if (++this.#nesting > editLimits.nestingMax) throw this.#error('strings are nested too deeply');
    const parts: (string | readonly ScriptToken[])[] = [];
    this.#at += 1;
    if (this.#source.startsWith('\r\n', this.#at)) this.#at += 2;
    else if (this.#source[this.#at] === '\n') this.#at += 1;
    let text = '';
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined) throw syntaxError('the string does not end', at);
      if (char === '`') {
        this.#at += 1;
        if (this.#source[this.#at] !== '`') break;
        text += '`';
        this.#at += 1;
      } else if (this.#source.startsWith('${', this.#at)) {
        this.#at += 2;
        parts.push(text, this.tokens(true));
        text = '';
      } else {
        text += char;
        this.#at += 1;
      }
    }
    this.#nesting -= 1;
    return { kind: 'template', at, text: '', parts: [...parts, text] };
  }

  #error(reason: string): ScriptError {
    return syntaxError(reason, this.#at);
  }
}
