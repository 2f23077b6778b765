/**
 * Parses block-like expressions, which end at their brace: blocks, conditions, switches and loops.
 */
import type { ExpressionParser } from './expression-parser.ts';
import type { Block, Expression, SwitchCase } from './syntax.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Statements of these kinds need no semicolon. */
const BLOCK_LIKE: ReadonlySet<string> = new Set(['block', 'if', 'switch', 'loop', 'for']);

export const isBlockLike = ({ kind }: Expression): boolean => BLOCK_LIKE.has(kind);

export interface BodyParsing {
  /** Statements in braces. */
  block(): Block;
  /** The action of a case: an expression, or an assignment as a block. */
  action(): Expression;
}

export class ControlParser {
  readonly #cursor: TokenCursor;
  readonly #expressions: ExpressionParser;
  readonly #bodies: BodyParsing;

  constructor(cursor: TokenCursor, expressions: ExpressionParser, bodies: BodyParsing) {
    this.#cursor = cursor;
    this.#expressions = expressions;
    this.#bodies = bodies;
  }

  /** null if the next token begins none of them. */
  blockLike(): Expression | null {
    const { kind, text, at } = this.#cursor.token;
    if (kind === 'symbol') return text === '{' ? this.#bodies.block() : null;
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
    this.#cursor.advance();
    const condition = keyword === 'while' ? this.#expressions.expression() : null;
    return {
      kind: 'loop',
      at,
      condition,
      test: 'before',
      isUntil: false,
      body: this.#bodies.block(),
    };
  }

  #do(at: number): Expression {
    const cursor = this.#cursor;
    cursor.advance();
    const body = this.#bodies.block();
    const isUntil = cursor.accept('until');
    if (!isUntil) cursor.expect('while');
    return {
      kind: 'loop',
      at,
      condition: this.#expressions.expression(),
      test: 'after',
      isUntil,
      body,
    };
  }

  #if(at: number): Expression {
    const cursor = this.#cursor;
    const branches: { condition: Expression; body: Block }[] = [];
    let otherwise: Block | null = null;
    do {
      cursor.expect('if');
      const condition = this.#expressions.expression();
      branches.push({ condition, body: this.#bodies.block() });
      if (!cursor.accept('else')) break;
      if (!cursor.isKeyword('if')) otherwise = this.#bodies.block();
    } while (otherwise === null);
    return { kind: 'if', at, branches, otherwise };
  }

  #for(at: number): Expression {
    const cursor = this.#cursor;
    cursor.advance();
    const hasCounter = cursor.accept('(');
    const variable = cursor.name();
    let counter: string | null = null;
    if (hasCounter) {
      cursor.expect(',');
      counter = cursor.name();
      cursor.expect(')');
    }
    cursor.expect('in');
    const items = this.#expressions.expression();
    return { kind: 'for', at, variable, counter, items, body: this.#bodies.block() };
  }

  #switch(at: number): Expression {
    const cursor = this.#cursor;
    cursor.advance();
    const subject = this.#expressions.expression();
    cursor.expect('{');
    const cases: SwitchCase[] = [];
    let otherwise: Expression | null = null;
    while (!cursor.accept('}')) {
      if (otherwise !== null) throw cursor.unexpected('`}` after the case `_`');
      const patterns = cursor.accept('_') ? [] : this.#patterns();
      const guard = cursor.accept('if') ? this.#expressions.expression() : null;
      cursor.expect('=>');
      const body = this.#bodies.action();
      if (patterns.length === 0 && guard === null) otherwise = body;
      else cases.push({ patterns, guard, body });
      if (!cursor.accept(',') && !cursor.isSymbol('}') && !isBlockLike(body))
        throw cursor.unexpected('`,` or `}`');
    }
    return { kind: 'switch', at, subject, cases, otherwise };
  }

  #patterns(): Expression[] {
    const patterns: Expression[] = [];
    do {
      patterns.push(this.#expressions.pattern());
    } while (this.#cursor.accept('|'));
    return patterns;
  }
}
