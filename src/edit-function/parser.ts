/** Tokens to the tree of a script, by precedence climbing. Nesting is bounded here, so that whatever walks the tree is bounded too. */
import { editLimits } from './limits.ts';
import { RESERVED, scan, type Token } from './scanner.ts';
import { ScriptError } from './script-error.ts';
import type { BinaryOperator, Block, Closure, Expression, Place, Script, Statement, SwitchCase } from './syntax.ts';

/** How tightly operators bind. */
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
const LOGIC: ReadonlySet<string> = new Set(['&&', '||', '??']);
const INT_MAX = 2n ** 63n - 1n;
/** Statements of these kinds need no semicolon. */
const BLOCK_LIKE: ReadonlySet<string> = new Set(['block', 'if', 'switch', 'loop', 'for']);
const PARAMETERS_MAX = 16;

/** @throws ScriptError of kind `syntax` */
export function parseScript(source: string): Script {
  const functions = new Map<string, Closure>();
  const body = new Parser(scan(source), functions, 0).script();
  return { body, functions };
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #functions: Map<string, Closure>;
  #index = 0;
  #depth: number;

  constructor(tokens: readonly Token[], functions: Map<string, Closure>, depth: number) {
    this.#tokens = tokens;
    this.#functions = functions;
    this.#depth = depth;
  }

  script(): Block {
    const block = this.#statements(0, 'end');
    return block;
  }

  get #token(): Token {
    return this.#tokens[this.#index] as Token;
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === text;
  }

  #isKeyword(text: string): boolean {
    return this.#token.kind === 'keyword' && this.#token.text === text;
  }

  #accept(text: string): boolean {
    const { kind } = this.#token;
    if ((kind !== 'symbol' && kind !== 'keyword') || this.#token.text !== text) return false;
    this.#index += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`\`${text}\``);
  }

  #unexpected(expected: string): ScriptError {
    const { kind, text, at } = this.#token;
    if (kind === 'keyword' && RESERVED.has(text))
      return new ScriptError('syntax', `\`${text}\` is not available in edit functions`, at);
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    const found = kind === 'end' ? 'the end' : kind === 'text' || kind === 'template' ? 'a string' : `\`${shown}\``;
    return new ScriptError('syntax', `expected ${expected}, found ${found}`, at);
  }

  #name(): string {
    const { kind, text } = this.#token;
    if (kind !== 'name') throw this.#unexpected('a name');
    this.#index += 1;
    return text;
  }

  /** Runs one level deeper. */
  #nested<T>(parse: () => T): T {
    if (++this.#depth > editLimits.nestingMax) {
      throw new ScriptError('syntax', `the script nests deeper than ${editLimits.nestingMax} levels`, this.#token.at);
    }
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  #block(): Block {
    const { at } = this.#token;
    this.#expect('{');
    const block = this.#nested(() => this.#statements(at, '}'));
    this.#expect('}');
    return block;
  }

  #statements(at: number, end: '}' | 'end'): Block {
    const statements: Statement[] = [];
    let hasValue = false;
    const isAtEnd = () => (end === 'end' ? this.#token.kind === 'end' : this.#isSymbol('}'));
    while (!isAtEnd()) {
      if (this.#accept(';')) {
        hasValue = false;
        continue;
      }
      const statement = this.#statement();
      if (statement === null) continue;
      statements.push(statement);
      hasValue = statement.kind === 'expression';
      if (this.#accept(';')) hasValue = false;
      else if (!isAtEnd() && !endsItself(statement)) throw this.#unexpected(this.#token.kind === 'end' ? '`}`' : '`;`');
    }
    return { kind: 'block', at, statements, hasValue };
  }

  /** null after the definition of a function. */
  #statement(): Statement | null {
    const { at, kind, text } = this.#token;
    if (kind === 'keyword') {
      if (text === 'let' || text === 'const') return this.#declaration(at, text === 'const');
      if (text === 'return' || text === 'break' || text === 'throw') {
        this.#index += 1;
        return { kind: text, at, value: this.#optionalValue() };
      }
      if (this.#accept('continue')) return { kind: 'continue', at };
      if (text === 'try') return this.#try(at);
      if (text === 'fn') return this.#define(at);
    }
    return this.#simpleStatement();
  }

  /** An expression or an assignment. */
  #simpleStatement(): Extract<Statement, { kind: 'expression' | 'assign' }> {
    const { at } = this.#token;
    const expression = this.#blockLike() ?? this.#expression();
    const assignment = this.#token;
    if (assignment.kind !== 'symbol' || !ASSIGNMENTS.has(assignment.text) || BLOCK_LIKE.has(expression.kind))
      return { kind: 'expression', at, expression };
    if (!isPlace(expression))
      throw new ScriptError('syntax', 'only variables, members and items can be assigned to', assignment.at);
    this.#index += 1;
    const operator = assignment.text === '=' ? null : (assignment.text.slice(0, -1) as BinaryOperator);
    return { kind: 'assign', at: assignment.at, place: expression, operator, value: this.#expression() };
  }

  /** What a closure or a case does: an expression, or an assignment as a block. */
  #action(): Expression {
    const statement = this.#nested(() => this.#simpleStatement());
    if (statement.kind === 'expression') return statement.expression;
    return { kind: 'block', at: statement.at, statements: [statement], hasValue: false };
  }

  #optionalValue(): Expression | null {
    return this.#isSymbol(';') || this.#isSymbol('}') || this.#token.kind === 'end' ? null : this.#expression();
  }

  #declaration(at: number, isConstant: boolean): Statement {
    this.#index += 1;
    const name = this.#name();
    const value = this.#accept('=') ? this.#expression() : null;
    return { kind: 'let', at, name, value, isConstant };
  }

  #try(at: number): Statement {
    this.#index += 1;
    const body = this.#block();
    this.#expect('catch');
    const hasVariable = this.#accept('(');
    const variable = hasVariable ? this.#name() : null;
    if (hasVariable) this.#expect(')');
    return { kind: 'try', at, body, variable, handler: this.#block() };
  }

  #define(at: number): null {
    this.#index += 1;
    if (this.#depth > 0) throw new ScriptError('syntax', 'functions are defined at the top of the script only', at);
    const name = this.#name();
    this.#expect('(');
    const parameters = this.#parameters(')');
    if (this.#functions.has(name)) throw new ScriptError('syntax', `the function \`${name}\` is defined twice`, at);
    const body = this.#nested(() => this.#block());
    this.#functions.set(name, { kind: 'closure', at, name, parameters, body });
    return null;
  }

  #parameters(end: ')' | '|'): string[] {
    const names: string[] = [];
    while (!this.#accept(end)) {
      if (names.length > 0) this.#expect(',');
      if (names.length > 0 && this.#accept(end)) break;
      const { at } = this.#token;
      const name = this.#name();
      if (names.includes(name)) throw new ScriptError('syntax', `two parameters are named \`${name}\``, at);
      if (names.length === PARAMETERS_MAX)
        throw new ScriptError('syntax', `a function has at most ${PARAMETERS_MAX} parameters`, at);
      names.push(name);
    }
    return names;
  }

  #expression(): Expression {
    return this.#nested(() => this.#binary(0));
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const operator = this.#infix();
      const precedence = operator === null ? undefined : PRECEDENCE[operator];
      if (operator === null || precedence === undefined || precedence <= least) return left;
      const { at } = this.#token;
      this.#index += operator === '!in' ? 2 : 1;
      const right =
        operator === '**'
          ? this.#nested(() => this.#binary(precedence - 1))
          : this.#nested(() => this.#binary(precedence));
      left = LOGIC.has(operator)
        ? { kind: 'logic', at, operator: operator as '&&' | '||' | '??', left, right }
        : { kind: 'binary', at, operator: operator as BinaryOperator, left, right };
    }
  }

  /** The operator between two expressions that comes next. */
  #infix(): string | null {
    const { kind, text } = this.#token;
    if (kind === 'keyword') return text === 'in' ? 'in' : null;
    if (kind !== 'symbol') return null;
    const next = this.#tokens[this.#index + 1];
    if (text === '!' && next?.kind === 'keyword' && next.text === 'in') return '!in';
    return text;
  }

  #unary(): Expression {
    const { kind, text, at } = this.#token;
    if (kind !== 'symbol' || (text !== '-' && text !== '+' && text !== '!')) return this.#postfix(this.#primary());
    this.#index += 1;
    const { kind: digits, text: number } = this.#token;
    if (text === '-' && digits === 'int' && BigInt(number) === INT_MAX + 1n) {
      this.#index += 1;
      return this.#postfix({ kind: 'literal', at, value: -(INT_MAX + 1n) });
    }
    const operand = this.#nested(() => this.#unary());
    return { kind: 'unary', at, operator: text, operand };
  }

  #postfix(first: Expression): Expression {
    let object = first;
    for (;;) {
      const { at } = this.#token;
      const isMember = this.#isSymbol('.') || this.#isSymbol('?.');
      if (isMember || this.#isSymbol('[') || this.#isSymbol('?[')) {
        const isSafe = this.#token.text.startsWith('?');
        this.#index += 1;
        object = isMember ? this.#member(object, at, isSafe) : this.#item(object, at, isSafe);
      } else return object;
    }
  }

  #item(object: Expression, at: number, isSafe: boolean): Expression {
    const index = this.#expression();
    this.#expect(']');
    return { kind: 'index', at, object, index, isSafe };
  }

  /** After the dot every word is a name. */
  #member(object: Expression, at: number, isSafe: boolean): Expression {
    const { kind, text: name } = this.#token;
    if (kind !== 'name' && kind !== 'keyword') throw this.#unexpected('the name of a member or function');
    this.#index += 1;
    if (!this.#accept('(')) return { kind: 'member', at, object, name, isSafe };
    return { kind: 'method', at, object, name, args: this.#list(')'), isSafe };
  }

  #list(end: ')' | ']'): Expression[] {
    const items: Expression[] = [];
    while (!this.#accept(end)) {
      if (items.length > 0) this.#expect(',');
      if (items.length > 0 && this.#accept(end)) break;
      items.push(this.#expression());
    }
    return items;
  }

  #primary(): Expression {
    const { kind, text, at } = this.#token;
    const blockLike = this.#blockLike();
    if (blockLike !== null) return blockLike;
    if (kind === 'symbol') return this.#bracketed(text, at);
    if (kind === 'keyword') {
      if (!this.#accept('true') && !this.#accept('false')) throw this.#unexpected('an expression');
      return { kind: 'literal', at, value: text === 'true' };
    }
    if (kind === 'end') throw this.#unexpected('an expression');
    this.#index += 1;
    if (kind === 'int') return { kind: 'literal', at, value: integer(text, at) };
    if (kind === 'float') return { kind: 'literal', at, value: Number(text) };
    if (kind === 'text') return { kind: 'literal', at, value: text };
    if (kind === 'char') return { kind: 'char', at, text };
    if (kind === 'template') return this.#template(at, this.#tokens[this.#index - 1]?.parts ?? []);
    if (this.#accept('(')) return { kind: 'call', at, name: text, args: this.#list(')') };
    return { kind: 'variable', at, name: text };
  }

  #bracketed(text: string, at: number): Expression {
    if (this.#accept('(')) {
      if (this.#accept(')')) return { kind: 'literal', at, value: null };
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('[')) return { kind: 'array', at, items: this.#list(']') };
    if (this.#accept('#{')) return { kind: 'map', at, members: this.#members() };
    if (text === '|' || text === '||') return this.#closure(at, text);
    throw this.#unexpected('an expression');
  }

  #closure(at: number, opening: '|' | '||'): Expression {
    this.#index += 1;
    const parameters = opening === '||' ? [] : this.#parameters('|');
    return { kind: 'closure', at, name: '', parameters, body: this.#action() };
  }

  #members(): (readonly [string, Expression])[] {
    const members = new Map<string, Expression>();
    while (!this.#accept('}')) {
      if (members.size > 0) this.#expect(',');
      if (members.size > 0 && this.#accept('}')) break;
      const { kind, text, at } = this.#token;
      if (kind !== 'name' && kind !== 'text' && kind !== 'keyword') throw this.#unexpected('the name of a member');
      if (members.has(text)) throw new ScriptError('syntax', `two members are named \`${text}\``, at);
      this.#index += 1;
      this.#expect(':');
      members.set(text, this.#expression());
    }
    return [...members];
  }

  #template(at: number, parts: readonly (string | readonly Token[])[]): Expression {
    return {
      kind: 'template',
      at,
      parts: parts.map((part) =>
        typeof part === 'string' ? part : this.#nested(() => new Parser(part, this.#functions, this.#depth).script()),
      ),
    };
  }

  /** An expression that a statement may begin with and then ends at its brace; null when there is none. */
  #blockLike(): Expression | null {
    const { kind, text, at } = this.#token;
    if (kind === 'symbol') return text === '{' ? this.#block() : null;
    if (kind !== 'keyword') return null;
    if (text === 'if') return this.#if(at);
    if (text === 'switch') return this.#switch(at);
    if (text === 'for') return this.#for(at);
    if (text === 'while') {
      this.#index += 1;
      const condition = this.#expression();
      return { kind: 'loop', at, condition, test: 'before', isUntil: false, body: this.#block() };
    }
    if (text === 'loop') {
      this.#index += 1;
      return { kind: 'loop', at, condition: null, test: 'before', isUntil: false, body: this.#block() };
    }
    return text === 'do' ? this.#do(at) : null;
  }

  #do(at: number): Expression {
    this.#index += 1;
    const body = this.#block();
    const isUntil = this.#accept('until');
    if (!isUntil) this.#expect('while');
    return { kind: 'loop', at, condition: this.#expression(), test: 'after', isUntil, body };
  }

  #if(at: number): Expression {
    const branches: { condition: Expression; body: Block }[] = [];
    let otherwise: Block | null = null;
    do {
      this.#expect('if');
      const condition = this.#expression();
      branches.push({ condition, body: this.#block() });
      if (!this.#accept('else')) break;
      if (!this.#isKeyword('if')) otherwise = this.#block();
    } while (otherwise === null);
    return { kind: 'if', at, branches, otherwise };
  }

  #for(at: number): Expression {
    this.#index += 1;
    const hasCounter = this.#accept('(');
    const variable = this.#name();
    let counter: string | null = null;
    if (hasCounter) {
      this.#expect(',');
      counter = this.#name();
      this.#expect(')');
    }
    this.#expect('in');
    const items = this.#expression();
    return { kind: 'for', at, variable, counter, items, body: this.#block() };
  }

  #switch(at: number): Expression {
    this.#index += 1;
    const subject = this.#expression();
    this.#expect('{');
    const cases: SwitchCase[] = [];
    let otherwise: Expression | null = null;
    while (!this.#accept('}')) {
      if (otherwise !== null) throw this.#unexpected('`}` after the case `_`');
      const patterns = this.#accept('_') ? [] : this.#patterns();
      const guard = this.#accept('if') ? this.#expression() : null;
      this.#expect('=>');
      const body = this.#action();
      if (patterns.length === 0 && guard === null) otherwise = body;
      else cases.push({ patterns, guard, body });
      if (!this.#accept(',') && !this.#isSymbol('}') && !BLOCK_LIKE.has(body.kind))
        throw this.#unexpected('`,` or `}`');
    }
    return { kind: 'switch', at, subject, cases, otherwise };
  }

  #patterns(): Expression[] {
    const patterns: Expression[] = [];
    do {
      patterns.push(this.#nested(() => this.#binary(PRECEDENCE['|'] as number)));
    } while (this.#accept('|'));
    return patterns;
  }
}

const isPlace = (expression: Expression): expression is Place =>
  expression.kind === 'variable' || expression.kind === 'member' || expression.kind === 'index';

const endsItself = (statement: Statement): boolean =>
  statement.kind === 'try' ||
  (statement.kind === 'expression' &&
    BLOCK_LIKE.has(statement.expression.kind) &&
    !(statement.expression.kind === 'loop' && statement.expression.test === 'after'));

function integer(text: string, at: number): bigint {
  const value = /^0[xob]/.test(text) && text.length < 3 ? null : BigInt(text);
  if (value !== null && value <= INT_MAX) return value;
  throw new ScriptError('syntax', `\`${text.slice(0, 40)}\` is no integer of 64 bits`, at);
}
