/** A forward-only cursor over the tokens of a script, with its nesting depth. */
import { editLimits } from './edit-limits.ts';
import { RESERVED, type ScriptToken } from './scanner.ts';
import { ScriptError } from './script-error.ts';

/** Characters of a token that an error shows. */
const SHOWN_MAX = 40;

export class TokenCursor {
  readonly #tokens: readonly ScriptToken[];
  #index = 0;
  #depth: number;

  /** @param tokens ending with a token of kind `end` */
  constructor(tokens: readonly ScriptToken[], depth: number) {
    this.#tokens = tokens;
    this.#depth = depth;
  }

  get token(): ScriptToken {
    return this.#tokens[this.#index] as ScriptToken;
  }

  get following(): ScriptToken | null {
    return this.#tokens[this.#index + 1] ?? null;
  }

  get depth(): number {
    return this.#depth;
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  advance(count = 1): void {
    this.#index += count;
  }

  isSymbol(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  isKeyword(text: string): boolean {
    return this.token.kind === 'keyword' && this.token.text === text;
  }

  /** Consumes this symbol or keyword; false if the next token differs. */
  accept(text: string): boolean {
    if (!this.isSymbol(text) && !this.isKeyword(text)) return false;
    this.#index += 1;
    return true;
  }

  /** @throws ScriptError */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`\`${text}\``);
  }

  /** Consumes a name. @throws ScriptError */
  name(): string {
    const { kind, text } = this.token;
    if (kind !== 'name') throw this.unexpected('a name');
    this.#index += 1;
    return text;
  }

  unexpected(expected: string): ScriptError {
    const { kind, text, at } = this.token;
    if (kind === 'keyword' && RESERVED.has(text))
      return new ScriptError('syntax', `\`${text}\` is not available in edit functions`, at);
    const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
    const found =
      kind === 'end'
        ? 'the end'
        : kind === 'text' || kind === 'template'
          ? 'a string'
          : `\`${shown}\``;
    return new ScriptError('syntax', `expected ${expected}, found ${found}`, at);
  }

  /** Runs one level deeper. @throws ScriptError beyond the maximum depth */
  nested<T>(parse: () => T): T {
    if (++this.#depth > editLimits.nestingMax) {
      throw new ScriptError(
        'syntax',
        `the script nests deeper than ${editLimits.nestingMax} levels`,
        this.token.at,
      );
    }
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}
