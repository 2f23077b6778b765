/**
 * Expressions by precedence climbing: operators, members and items, calls, literals, arrays, maps,
 * closures and templates.
 */
import { editLimits } from './edit-limits.ts';
import type { ScriptToken } from './scanner.ts';
import { ScriptError } from './script-error.ts';
import type { BinaryOperator, Block, Expression } from './syntax.ts';
import type { TokenCursor } from './token-cursor.ts';
import { INT_MAX } from './values.ts';

/** Operator precedence; higher binds tighter. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  '||': 30,
  '|': 30,
  '^': 30,
  '&&': 60,
  '&': 60,
  '==': 90,
  '!=': 90,
  in: 110,
  '!in': 110,
  '>': 130,
  '>=': 130,
  '<': 130,
  '<=': 130,
  '??': 135,
  '..': 140,
  '..=': 140,
  '+': 150,
  '-': 150,
  '*': 180,
  '/': 180,
  '%': 180,
  '**': 190,
  '<<': 210,
  '>>': 210,
};
const LOGIC: ReadonlySet<string> = new Set(['&&', '||', '??']);
/** Characters of a number that an error shows. */
const SHOWN_MAX = 40;

/** The object of a member or item access after `.`, `?.`, `[` or `?[`. */
interface Access {
  readonly object: Expression;
  readonly at: number;
  readonly isSafe: boolean;
}

/** Parsing of expressions that contain statements. */
export interface BlockParsing {
  /** A block, condition, switch or loop; null if the next token begins none. */
  blockLike(): Expression | null;
  /** The body of a closure: an expression, or an assignment as a block. */
  action(): Expression;
  /** A script inside a template. */
  inner(tokens: readonly ScriptToken[]): Block;
}

/** Each method starts at its first token and leaves the cursor after its last one. */
export class ExpressionParser {
  readonly #cursor: TokenCursor;
  readonly #blocks: BlockParsing;

  constructor(cursor: TokenCursor, blocks: BlockParsing) {
    this.#cursor = cursor;
    this.#blocks = blocks;
  }

  expression(): Expression {
    return this.#cursor.nested(() => this.#binary(0));
  }

  /** An expression that ends at `|`. */
  pattern(): Expression {
    return this.#cursor.nested(() => this.#binary(PRECEDENCE['|'] as number));
  }

  /** Names after the opening symbol, up to and including the closing one. */
  parameters(end: ')' | '|'): string[] {
    const cursor = this.#cursor;
    const names: string[] = [];
    while (!cursor.accept(end)) {
      if (names.length > 0) cursor.expect(',');
      if (names.length > 0 && cursor.accept(end)) break;
      const { at } = cursor.token;
      const name = cursor.name();
      if (names.includes(name))
        throw new ScriptError('syntax', `two parameters are named \`${name}\``, at);
      if (names.length === editLimits.parametersMax)
        throw new ScriptError(
          'syntax',
          `a function has at most ${editLimits.parametersMax} parameters`,
          at,
        );
      names.push(name);
    }
    return names;
  }

  #binary(least: number): Expression {
    const cursor = this.#cursor;
    let left = this.#unary();
    for (;;) {
      const operator = this.#infix();
      const precedence = operator === null ? undefined : PRECEDENCE[operator];
      if (operator === null || precedence === undefined || precedence <= least) return left;
      const { at } = cursor.token;
      cursor.advance(operator === '!in' ? 2 : 1);
      const right = cursor.nested(() =>
        this.#binary(operator === '**' ? precedence - 1 : precedence),
      );
      left = LOGIC.has(operator)
        ? { kind: 'logic', at, operator: operator as '&&' | '||' | '??', left, right }
        : { kind: 'binary', at, operator: operator as BinaryOperator, left, right };
    }
  }

  /** The next token if it is a binary operator. */
  #infix(): string | null {
    const { token, following } = this.#cursor;
    if (token.kind === 'keyword') return token.text === 'in' ? 'in' : null;
    if (token.kind !== 'symbol') return null;
    return token.text === '!' && following?.kind === 'keyword' && following.text === 'in'
      ? '!in'
      : token.text;
  }

  #unary(): Expression {
    const cursor = this.#cursor;
    const { kind, text, at } = cursor.token;
    if (kind !== 'symbol' || (text !== '-' && text !== '+' && text !== '!'))
      return this.#postfix(this.#primary());
    cursor.advance();
    const { kind: digits, text: number } = cursor.token;
    if (text === '-' && digits === 'int' && BigInt(number) === INT_MAX + 1n) {
      cursor.advance();
      return this.#postfix({ kind: 'literal', at, value: -(INT_MAX + 1n) });
    }
    const operand = cursor.nested(() => this.#unary());
    return { kind: 'unary', at, operator: text, operand };
  }

  #postfix(first: Expression): Expression {
    const cursor = this.#cursor;
    let object = first;
    for (;;) {
      const { at, text } = cursor.token;
      const isMember = cursor.isSymbol('.') || cursor.isSymbol('?.');
      if (!isMember && !cursor.isSymbol('[') && !cursor.isSymbol('?[')) return object;
      const isSafe = text.startsWith('?');
      cursor.advance();
      const access = { object, at, isSafe };
      object = isMember ? this.#member(access) : this.#item(access);
    }
  }

  #item({ object, at, isSafe }: Access): Expression {
    const index = this.expression();
    this.#cursor.expect(']');
    return { kind: 'index', at, object, index, isSafe };
  }

  /** After a dot every word is a name. */
  #member({ object, at, isSafe }: Access): Expression {
    const cursor = this.#cursor;
    const { kind, text: name } = cursor.token;
    if (kind !== 'name' && kind !== 'keyword')
      throw cursor.unexpected('the name of a member or function');
    cursor.advance();
    if (!cursor.accept('(')) return { kind: 'member', at, object, name, isSafe };
    return { kind: 'method', at, object, name, args: this.#list(')'), isSafe };
  }

  #list(end: ')' | ']'): Expression[] {
    const cursor = this.#cursor;
    const items: Expression[] = [];
    while (!cursor.accept(end)) {
      if (items.length > 0) cursor.expect(',');
      if (items.length > 0 && cursor.accept(end)) break;
      items.push(this.expression());
    }
    return items;
  }

  #primary(): Expression {
    const cursor = this.#cursor;
    const { kind, text, at, parts } = cursor.token;
    const blockLike = this.#blocks.blockLike();
    if (blockLike !== null) return blockLike;
    if (kind === 'symbol') return this.#bracketed(text, at);
    if (kind === 'keyword') {
      if (!cursor.accept('true') && !cursor.accept('false'))
        throw cursor.unexpected('an expression');
      return { kind: 'literal', at, value: text === 'true' };
    }
    if (kind === 'end') throw cursor.unexpected('an expression');
    cursor.advance();
    if (kind === 'int') return { kind: 'literal', at, value: integer(text, at) };
    if (kind === 'float') return { kind: 'literal', at, value: Number(text) };
    if (kind === 'text') return { kind: 'literal', at, value: text };
    if (kind === 'char') return { kind: 'char', at, text };
    if (kind === 'template') return this.#template(at, parts ?? []);
    if (cursor.accept('(')) return { kind: 'call', at, name: text, args: this.#list(')') };
    return { kind: 'variable', at, name: text };
  }

  #bracketed(text: string, at: number): Expression {
    const cursor = this.#cursor;
    if (cursor.accept('(')) {
      if (cursor.accept(')')) return { kind: 'literal', at, value: null };
      const inner = this.expression();
      cursor.expect(')');
      return inner;
    }
    if (cursor.accept('[')) return { kind: 'array', at, items: this.#list(']') };
    if (cursor.accept('#{')) return { kind: 'map', at, members: this.#members() };
    if (text === '|' || text === '||') return this.#closure(at, text);
    throw cursor.unexpected('an expression');
  }

  #closure(at: number, opening: '|' | '||'): Expression {
    this.#cursor.advance();
    const parameters = opening === '||' ? [] : this.parameters('|');
    return { kind: 'closure', at, name: '', parameters, body: this.#blocks.action() };
  }

  #members(): (readonly [string, Expression])[] {
    const cursor = this.#cursor;
    const members = new Map<string, Expression>();
    while (!cursor.accept('}')) {
      if (members.size > 0) cursor.expect(',');
      if (members.size > 0 && cursor.accept('}')) break;
      const { kind, text, at } = cursor.token;
      if (kind !== 'name' && kind !== 'text' && kind !== 'keyword')
        throw cursor.unexpected('the name of a member');
      if (members.has(text))
        throw new ScriptError('syntax', `two members are named \`${text}\``, at);
      cursor.advance();
      cursor.expect(':');
      members.set(text, this.expression());
    }
    return [...members];
  }

  #template(at: number, parts: readonly (string | readonly ScriptToken[])[]): Expression {
    const cursor = this.#cursor;
    return {
      kind: 'template',
      at,
      parts: parts.map((part) =>
        typeof part === 'string' ? part : cursor.nested(() => this.#blocks.inner(part)),
      ),
    };
  }
}

function integer(text: string, at: number): bigint {
  const value = /^0[xob]/.test(text) && text.length < 3 ? null : BigInt(text);
  if (value !== null && value <= INT_MAX) return value;
  throw new ScriptError('syntax', `\`${text.slice(0, SHOWN_MAX)}\` is no integer of 64 bits`, at);
}
