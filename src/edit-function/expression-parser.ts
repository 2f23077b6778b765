/**
 * Expressions by precedence climbing: operators, members and items, calls, literals, arrays, maps,
 * closures and templates; and block-like ones, which end at their brace.
 */
import { editLimits } from './edit-limits.ts';
import type { ScriptToken } from './scanner.ts';
import { syntaxError } from './script-error.ts';
import type { BinaryOperator, Block, Expression, SwitchCase } from './syntax.ts';
import { TokenCursor } from './token-cursor.ts';
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

/** Statements of these kinds need no semicolon. */
const BLOCK_LIKE: ReadonlySet<string> = new Set(['block', 'if', 'switch', 'loop', 'for']);

export const isBlockLike = ({ kind }: Expression): boolean => BLOCK_LIKE.has(kind);

/** The object of a member or item access after `.`, `?.`, `[` or `?[`. */
interface Access {
  readonly object: Expression;
  readonly at: number;
  readonly isSafe: boolean;
}

/** Each method starts at its first token and leaves the cursor after its last one. */
export abstract class ExpressionParser extends TokenCursor {
  /** Statements in braces. */
  protected abstract block(): Block;
  /** The body of a closure or case: an expression, or an assignment as a block. */
  protected abstract action(): Expression;
  /** A script inside a template. */
  protected abstract inner(tokens: readonly ScriptToken[]): Block;

  protected expression(): Expression {
    return this.nested(() => this.#binary(0));
  }

  /** An expression that ends at `|`. */
  #pattern(): Expression {
    return this.nested(() => this.#binary(PRECEDENCE['|'] as number));
  }

  /** Names after the opening symbol, up to and including the closing one. */
  protected parameters(end: ')' | '|'): string[] {
    const names: string[] = [];
    while (!this.accept(end)) {
      if (names.length > 0) this.expect(',');
      if (names.length > 0 && this.accept(end)) break;
      const { at } = this.token;
      const name = this.name();
      if (names.includes(name)) throw syntaxError(`two parameters are named \`${name}\``, at);
      if (names.length === editLimits.parametersMax)
        throw syntaxError(`a function has at most ${editLimits.parametersMax} parameters`, at);
      names.push(name);
    }
    return names;
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const operator = this.#infix();
      const precedence = operator === null ? undefined : PRECEDENCE[operator];
      if (operator === null || precedence === undefined || precedence <= least) return left;
      const { at } = this.token;
      this.advance(operator === '!in' ? 2 : 1);
      const right = this.nested(() =>
        this.#binary(operator === '**' ? precedence - 1 : precedence),
      );
      left = LOGIC.has(operator)
        ? { kind: 'logic', at, operator: operator as '&&' | '||' | '??', left, right }
        : { kind: 'binary', at, operator: operator as BinaryOperator, left, right };
    }
  }

  /** The next token if it is a binary operator. */
  #infix(): string | null {
    const { token, following } = this;
    if (token.kind === 'keyword') return token.text === 'in' ? 'in' : null;
    if (token.kind !== 'symbol') return null;
    return token.text === '!' && following?.kind === 'keyword' && following.text === 'in'
      ? '!in'
      : token.text;
  }

  #unary(): Expression {
    const { kind, text, at } = this.token;
    if (kind !== 'symbol' || (text !== '-' && text !== '+' && text !== '!'))
      return this.#postfix(this.#primary());
    this.advance();
    const { kind: digits, text: number } = this.token;
    if (text === '-' && digits === 'int' && integerIn(number) === INT_MAX + 1n) {
      this.advance();
      return this.#postfix({ kind: 'literal', at, value: -(INT_MAX + 1n) });
    }
    const operand = this.nested(() => this.#unary());
    return { kind: 'unary', at, operator: text, operand };
  }

  #postfix(first: Expression): Expression {
    let object = first;
    for (;;) {
      const { at, text } = this.token;
      const isMember = this.isSymbol('.') || this.isSymbol('?.');
      if (!isMember && !this.isSymbol('[') && !this.isSymbol('?[')) return object;
      const isSafe = text.startsWith('?');
      this.advance();
      const access = { object, at, isSafe };
      object = isMember ? this.#member(access) : this.#item(access);
    }
  }

  #item({ object, at, isSafe }: Access): Expression {
    const index = this.expression();
    this.expect(']');
    return { kind: 'index', at, object, index, isSafe };
  }

  /** After a dot every word is a name. */
  #member({ object, at, isSafe }: Access): Expression {
    const { kind, text: name } = this.token;
    if (kind !== 'name' && kind !== 'keyword')
      throw this.unexpected('the name of a member or function');
    this.advance();
    if (!this.accept('(')) return { kind: 'member', at, object, name, isSafe };
    return { kind: 'method', at, object, name, args: this.#list(')'), isSafe };
  }

  #list(end: ')' | ']'): Expression[] {
    const items: Expression[] = [];
    while (!this.accept(end)) {
      if (items.length > 0) this.expect(',');
      if (items.length > 0 && this.accept(end)) break;
      items.push(this.expression());
    }
    return items;
  }

  #primary(): Expression {
    const { kind, text, at, parts } = this.token;
    const blockLike = this.blockLike();
    if (blockLike !== null) return blockLike;
    if (kind === 'symbol') return this.#bracketed(text, at);
    if (kind === 'keyword') {
      if (!this.accept('true') && !this.accept('false')) throw this.unexpected('an expression');
      return { kind: 'literal', at, value: text === 'true' };
    }
    if (kind === 'end') throw this.unexpected('an expression');
    this.advance();
    if (kind === 'int') return { kind: 'literal', at, value: integer(text, at) };
    if (kind === 'float') return { kind: 'literal', at, value: Number(text) };
    if (kind === 'text') return { kind: 'literal', at, value: text };
    if (kind === 'char') return { kind: 'char', at, text };
    if (kind === 'template') return this.#template(at, parts ?? []);
    if (this.accept('(')) return { kind: 'call', at, name: text, args: this.#list(')') };
    return { kind: 'variable', at, name: text };
  }

  #bracketed(text: string, at: number): Expression {
    if (this.accept('(')) {
      if (this.accept(')')) return { kind: 'literal', at, value: null };
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (this.accept('[')) return { kind: 'array', at, items: this.#list(']') };
    if (this.accept('#{')) return { kind: 'map', at, members: this.#members() };
    if (text === '|' || text === '||') return this.#closure(at, text);
    throw this.unexpected('an expression');
  }

  #closure(at: number, opening: '|' | '||'): Expression {
    this.advance();
    const parameters = opening === '||' ? [] : this.parameters('|');
    return { kind: 'closure', at, name: '', parameters, body: this.action() };
  }

  #members(): (readonly [string, Expression])[] {
    const members = new Map<string, Expression>();
    while (!this.accept('}')) {
      if (members.size > 0) this.expect(',');
      if (members.size > 0 && this.accept('}')) break;
      const { kind, text, at } = this.token;
      if (kind !== 'name' && kind !== 'text' && kind !== 'keyword')
        throw this.unexpected('the name of a member');
      if (members.has(text)) throw syntaxError(`two members are named \`${text}\``, at);
      this.advance();
      this.expect(':');
      members.set(text, this.expression());
    }
    return [...members];
  }

  #template(at: number, parts: readonly (string | readonly ScriptToken[])[]): Expression {
    return {
      kind: 'template',
      at,
      parts: parts.map((part) =>
        typeof part === 'string' ? part : this.nested(() => this.inner(part)),
      ),
    };
  }

  /** A block, condition, switch or loop; null if the next token begins none. */
  protected blockLike(): Expression | null {
    const { kind, text, at } = this.token;
    if (kind === 'symbol') return text === '{' ? this.block() : null;
    if (kind !== 'keyword') return null;
    switch (text) {
      case 'if':
        return this.#if(at);
      case 'switch':
        return this.#switch(at);
      case 'for':
        return this.#for(at);
      case 'while':
      case 'loop':
        return this.#loop(at, text);
      case 'do':
        return this.#do(at);
      default:
        return null;
    }
  }

  #loop(at: number, keyword: 'while' | 'loop'): Expression {
    this.advance();
    const condition = keyword === 'while' ? this.expression() : null;
    return {
      kind: 'loop',
      at,
      condition,
      test: 'before',
      isUntil: false,
      body: this.block(),
    };
  }

  #do(at: number): Expression {
    this.advance();
    const body = this.block();
    const isUntil = this.accept('until');
    if (!isUntil) this.expect('while');
    return {
      kind: 'loop',
      at,
      condition: this.expression(),
      test: 'after',
      isUntil,
      body,
    };
  }

  #if(at: number): Expression {
    const branches: { condition: Expression; body: Block }[] = [];
    let otherwise: Block | null = null;
    do {
      this.expect('if');
      const condition = this.expression();
      branches.push({ condition, body: this.block() });
      if (!this.accept('else')) break;
      if (!this.isKeyword('if')) otherwise = this.block();
    } while (otherwise === null);
    return { kind: 'if', at, branches, otherwise };
  }

  #for(at: number): Expression {
    this.advance();
    const hasCounter = this.accept('(');
    const variable = this.name();
    let counter: string | null = null;
    if (hasCounter) {
      this.expect(',');
      counter = this.name();
      this.expect(')');
    }
    this.expect('in');
    const items = this.expression();
    return { kind: 'for', at, variable, counter, items, body: this.block() };
  }

  #switch(at: number): Expression {
    this.advance();
    const subject = this.expression();
    this.expect('{');
    const cases: SwitchCase[] = [];
    let otherwise: Expression | null = null;
    while (!this.accept('}')) {
      if (otherwise !== null) throw this.unexpected('`}` after the case `_`');
      const patterns = this.accept('_') ? [] : this.#patterns();
      const guard = this.accept('if') ? this.expression() : null;
      this.expect('=>');
      const body = this.action();
      if (patterns.length === 0 && guard === null) otherwise = body;
      else cases.push({ patterns, guard, body });
      if (!this.accept(',') && !this.isSymbol('}') && !isBlockLike(body))
        throw this.unexpected('`,` or `}`');
    }
    return { kind: 'switch', at, subject, cases, otherwise };
  }

  #patterns(): Expression[] {
    const patterns: Expression[] = [];
    do {
      patterns.push(this.#pattern());
    } while (this.accept('|'));
    return patterns;
  }
}

/** null for a radix without digits. */
const integerIn = (text: string): bigint | null => (/^0[xob]$/.test(text) ? null : BigInt(text));

function integer(text: string, at: number): bigint {
  const value = integerIn(text);
  if (value !== null && value <= INT_MAX) return value;
  throw syntaxError(`\`${text.slice(0, SHOWN_MAX)}\` is no integer of 64 bits`, at);
}
