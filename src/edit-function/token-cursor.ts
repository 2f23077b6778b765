/** A forward-only cursor over the tokens of a script, with its nesting depth; parsers extend it. */
import { editLimits } from './edit-limits.ts';
import { RESERVED, type ScriptToken } from './scanner.ts';
import { type ScriptError, syntaxError } from './script-error.ts';

/** Characters of a token that an error shows. */
const SHOWN_MAX = 40;

export abstract class TokenCursor {
  readonly #tokens: readonly ScriptToken[];
  #index = 0;
  #depth: number;

  /** @param tokens ending with a token of kind `end` */
  constructor(tokens: readonly ScriptToken[], depth: number) {
    this.#tokens = tokens;
    this.#depth = depth;
  }

  protected get token(): ScriptToken {
    return this.#tokens[this.#index] as ScriptToken;
  }

  protected get following(): ScriptToken | null {
    return this.#tokens[this.#index + 1] ?? null;
  }

  protected get depth(): number {
    return this.#depth;
  }

  protected get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  protected advance(count = 1): void {
    this.#index += count;
  }

  protected isSymbol(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  protected isKeyword(text: string): boolean {
    return this.token.kind === 'keyword' && this.token.text === text;
  }

  /** Consumes this symbol or keyword; false if the next token differs. */
  protected accept(text: string): boolean {
    if (!this.isSymbol(text) && !this.isKeyword(text)) return false;
    this.#index += 1;
    return true;
  }

  /** @throws ScriptError */
  protected expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`\`${text}\``);
  }

  /** Consumes a name. @throws ScriptError */
  protected name(): string {
    const { kind, text } = this.token;
    if (kind !== 'name') throw this.unexpected('a name');
    this.#index += 1;
    return text;
  }

  protected unexpected(expected: string): ScriptError {
    const { kind, text, at } = this.token;
    if (kind === 'keyword' && RESERVED.has(text))
      return syntaxError(`\`${text}\` is not available in edit functions`, at);
    const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
    const found =
      kind === 'end'
        ? 'the end'
        : kind === 'text' || kind === 'template'
          ? 'a string'
          : `\`${shown}\``;
    return syntaxError(`expected ${expected}, found ${found}`, at);
  }

  /** Runs one level deeper. @throws ScriptError beyond the maximum depth */
  protected nested<T>(parse: () => T): T {
    if (++this.#depth > editLimits.nestingMax)
      throw syntaxError(
        `the script nests deeper than ${editLimits.nestingMax} levels`,
        this.token.at,
      );
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}
