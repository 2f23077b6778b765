/**
 * Parses a script to its tree: statements; `ExpressionParser` parses expressions. Nesting is
 * bounded, so recursion over the tree is too.
 */
import { ExpressionParser, isBlockLike } from './expression-parser.ts';
import { type ScriptToken, scan } from './scanner.ts';
import { syntaxError } from './script-error.ts';
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

const ASSIGNMENTS: ReadonlySet<string> = new Set(
  '= += -= *= /= %= **= <<= >>= &= |= ^='.split(' '),
);

/** @throws ScriptError of kind `syntax` */
export function parseScript(source: string): FunctionBody {
  const functions = new Map<string, Closure>();
  const body = new StatementParser(scan(source), functions, 0).script();
  return { body, functions };
}

class StatementParser extends ExpressionParser {
  readonly #functions: Map<string, Closure>;

  /** @param functions receives the functions that the script defines */
  constructor(tokens: readonly ScriptToken[], functions: Map<string, Closure>, depth: number) {
    super(tokens, depth);
    this.#functions = functions;
  }

  script(): Block {
    return this.#statements(0, 'end');
  }

  protected inner(part: readonly ScriptToken[]): Block {
    return new StatementParser(part, this.#functions, this.depth).script();
  }

  protected block(): Block {
    const { at } = this.token;
    this.expect('{');
    const block = this.nested(() => this.#statements(at, '}'));
    this.expect('}');
    return block;
  }

  #statements(at: number, end: '}' | 'end'): Block {
    const statements: Statement[] = [];
    let hasValue = false;
    const isAtEnd = () => (end === 'end' ? this.isAtEnd : this.isSymbol('}'));
    while (!isAtEnd()) {
      if (this.accept(';')) {
        hasValue = false;
        continue;
      }
      const statement = this.#statement();
      if (statement === null) continue;
      statements.push(statement);
      hasValue = statement.kind === 'expression';
      if (this.accept(';')) hasValue = false;
      else if (!isAtEnd() && !endsItself(statement))
        throw this.unexpected(this.isAtEnd ? '`}`' : '`;`');
    }
    return { kind: 'block', at, statements, hasValue };
  }

  /** null after the definition of a function. */
  #statement(): Statement | null {
    const { at, kind, text } = this.token;
    if (kind !== 'keyword') return this.#simpleStatement();
    switch (text) {
      case 'let':
      case 'const':
        return this.#declaration(at, text === 'const');
      case 'return':
      case 'break':
      case 'throw':
        this.advance();
        return { kind: text, at, value: this.#optionalValue() };
      case 'continue':
        this.advance();
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
    const { at } = this.token;
    const expression = this.blockLike() ?? this.expression();
    const assignment = this.token;
    if (
      assignment.kind !== 'symbol' ||
      !ASSIGNMENTS.has(assignment.text) ||
      isBlockLike(expression)
    )
      return { kind: 'expression', at, expression };
    if (!isPlace(expression))
      throw syntaxError('only variables, members and items can be assigned to', assignment.at);
    this.advance();
    const operator =
      assignment.text === '=' ? null : (assignment.text.slice(0, -1) as BinaryOperator);
    return {
      kind: 'assign',
      at: assignment.at,
      place: expression,
      operator,
      value: this.expression(),
    };
  }

  protected action(): Expression {
    const statement = this.nested(() => this.#simpleStatement());
    if (statement.kind === 'expression') return statement.expression;
    return { kind: 'block', at: statement.at, statements: [statement], hasValue: false };
  }

  #optionalValue(): Expression | null {
    return this.isSymbol(';') || this.isSymbol('}') || this.isAtEnd ? null : this.expression();
  }

  #declaration(at: number, isConstant: boolean): Statement {
    this.advance();
    const name = this.name();
    const value = this.accept('=') ? this.expression() : null;
    return { kind: 'let', at, name, value, isConstant };
  }

  #try(at: number): Statement {
    this.advance();
    const body = this.block();
    this.expect('catch');
    const hasVariable = this.accept('(');
    const variable = hasVariable ? this.name() : null;
    if (hasVariable) this.expect(')');
    return { kind: 'try', at, body, variable, handler: this.block() };
  }

  #define(at: number): null {
    this.advance();
    if (this.depth > 0)
      throw syntaxError('functions are defined at the top of the script only', at);
    const name = this.name();
    this.expect('(');
    const parameters = this.parameters(')');
    if (this.#functions.has(name))
      throw syntaxError(`the function \`${name}\` is defined twice`, at);
    const body = this.nested(() => this.block());
    this.#functions.set(name, { kind: 'closure', at, name, parameters, body });
    return null;
  }
}

const endsItself = (statement: Statement): boolean =>
  statement.kind === 'try' ||
  (statement.kind === 'expression' &&
    isBlockLike(statement.expression) &&
    !(statement.expression.kind === 'loop' && statement.expression.test === 'after'));
