/**
 * Parses a script to its tree: statements; expressions are parsed by the classes below. Nesting is
 * bounded, so recursion over the tree is too.
 */
import { ControlParser, isBlockLike } from './control-parser.ts';
import { ExpressionParser } from './expression-parser.ts';
import { type ScriptToken, scan } from './scanner.ts';
import { ScriptError } from './script-error.ts';
import {
  type BinaryOperator,
  type Block,
  type Closure,
  type Expression,
  type FunctionBody,
  isPlace,
  type Statement,
  type StatementOf,
} from './syntax.ts';
import { TokenCursor } from './token-cursor.ts';

const ASSIGNMENTS: ReadonlySet<string> = new Set([
  '=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '**=',
  '<<=',
  '>>=',
  '&=',
  '|=',
  '^=',
]);

/** @throws ScriptError of kind `syntax` */
export function parseScript(source: string): FunctionBody {
  const functions = new Map<string, Closure>();
  const body = new StatementParser(scan(source), functions, 0).script();
  return { body, functions };
}

class StatementParser {
  readonly #cursor: TokenCursor;
  readonly #functions: Map<string, Closure>;
  readonly #expressions: ExpressionParser;
  readonly #control: ControlParser;

  /** @param functions receives the functions that the script defines */
  constructor(tokens: readonly ScriptToken[], functions: Map<string, Closure>, depth: number) {
    this.#cursor = new TokenCursor(tokens, depth);
    this.#functions = functions;
    this.#expressions = new ExpressionParser(this.#cursor, {
      blockLike: () => this.#control.blockLike(),
      action: () => this.#action(),
      inner: (part) => new StatementParser(part, functions, this.#cursor.depth).script(),
    });
    this.#control = new ControlParser(this.#cursor, this.#expressions, {
      block: () => this.#block(),
      action: () => this.#action(),
    });
  }

  script(): Block {
    return this.#statements(0, 'end');
  }

  #block(): Block {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    cursor.expect('{');
    const block = cursor.nested(() => this.#statements(at, '}'));
    cursor.expect('}');
    return block;
  }

  #statements(at: number, end: '}' | 'end'): Block {
    const cursor = this.#cursor;
    const statements: Statement[] = [];
    let hasValue = false;
    const isAtEnd = () => (end === 'end' ? cursor.isAtEnd : cursor.isSymbol('}'));
    while (!isAtEnd()) {
      if (cursor.accept(';')) {
        hasValue = false;
        continue;
      }
      const statement = this.#statement();
      if (statement === null) continue;
      statements.push(statement);
      hasValue = statement.kind === 'expression';
      if (cursor.accept(';')) hasValue = false;
      else if (!isAtEnd() && !endsItself(statement))
        throw cursor.unexpected(cursor.isAtEnd ? '`}`' : '`;`');
    }
    return { kind: 'block', at, statements, hasValue };
  }

  /** null after the definition of a function. */
  #statement(): Statement | null {
    const { at, kind, text } = this.#cursor.token;
    if (kind !== 'keyword') return this.#simpleStatement();
    switch (text) {
      case 'let':
      case 'const':
        return this.#declaration(at, text === 'const');
      case 'return':
      case 'break':
      case 'throw':
        this.#cursor.advance();
        return { kind: text, at, value: this.#optionalValue() };
      case 'continue':
        this.#cursor.advance();
        return { kind: text, at };
      case 'try':
        return this.#try(at);
      case 'fn':
        return this.#define(at);
      default:
        return this.#simpleStatement();
    }
  }

  /** An expression or an assignment. */
  #simpleStatement(): StatementOf<'expression' | 'assign'> {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    const expression = this.#control.blockLike() ?? this.#expressions.expression();
    const assignment = cursor.token;
    if (
      assignment.kind !== 'symbol' ||
      !ASSIGNMENTS.has(assignment.text) ||
      isBlockLike(expression)
    )
      return { kind: 'expression', at, expression };
    if (!isPlace(expression))
      throw new ScriptError(
        'syntax',
        'only variables, members and items can be assigned to',
        assignment.at,
      );
    cursor.advance();
    const operator =
      assignment.text === '=' ? null : (assignment.text.slice(0, -1) as BinaryOperator);
    return {
      kind: 'assign',
      at: assignment.at,
      place: expression,
      operator,
      value: this.#expressions.expression(),
    };
  }

  /** The body of a closure or case: an expression, or an assignment as a block. */
  #action(): Expression {
    const statement = this.#cursor.nested(() => this.#simpleStatement());
    if (statement.kind === 'expression') return statement.expression;
    return { kind: 'block', at: statement.at, statements: [statement], hasValue: false };
  }

  #optionalValue(): Expression | null {
    const cursor = this.#cursor;
    return cursor.isSymbol(';') || cursor.isSymbol('}') || cursor.isAtEnd
      ? null
      : this.#expressions.expression();
  }

  #declaration(at: number, isConstant: boolean): Statement {
    this.#cursor.advance();
    const name = this.#cursor.name();
    const value = this.#cursor.accept('=') ? this.#expressions.expression() : null;
    return { kind: 'let', at, name, value, isConstant };
  }

  #try(at: number): Statement {
    const cursor = this.#cursor;
    cursor.advance();
    const body = this.#block();
    cursor.expect('catch');
    const hasVariable = cursor.accept('(');
    const variable = hasVariable ? cursor.name() : null;
    if (hasVariable) cursor.expect(')');
    return { kind: 'try', at, body, variable, handler: this.#block() };
  }

  #define(at: number): null {
    const cursor = this.#cursor;
    cursor.advance();
    if (cursor.depth > 0)
      throw new ScriptError('syntax', 'functions are defined at the top of the script only', at);
    const name = cursor.name();
    cursor.expect('(');
    const parameters = this.#expressions.parameters(')');
    if (this.#functions.has(name))
      throw new ScriptError('syntax', `the function \`${name}\` is defined twice`, at);
    const body = cursor.nested(() => this.#block());
    this.#functions.set(name, { kind: 'closure', at, name, parameters, body });
    return null;
  }
}

const endsItself = (statement: Statement): boolean =>
  statement.kind === 'try' ||
  (statement.kind === 'expression' &&
    isBlockLike(statement.expression) &&
    !(statement.expression.kind === 'loop' && statement.expression.test === 'after'));
