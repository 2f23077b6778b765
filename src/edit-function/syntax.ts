/** The typed tree of a script. */

/** `at` is the offset of the node in the script. */
type Node<Kind extends string, Members = unknown> = Readonly<Members> & {
  readonly kind: Kind;
  readonly at: number;
};

/** Integers are `bigint`, floats `number`. */
type Literal = null | boolean | bigint | number | string;

export type Arithmetic = '+' | '-' | '*' | '/' | '%' | '**' | '<<' | '>>' | '&' | '|' | '^';
type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '!in';
export type BinaryOperator = Arithmetic | Comparison | '..' | '..=';

/**
 * `hasValue`: the last statement is an expression without a semicolon; its value is the block's
 * value.
 */
export type Block = Node<'block', { statements: readonly Statement[]; hasValue: boolean }>;

/** The name of a closure is empty. */
export type Closure = Node<
  'closure',
  { name: string; parameters: readonly string[]; body: Expression }
>;

/** An assignable expression. `isSafe` stands for `?.` and `?[`: `()` if the object is `()`. */
export type Place =
  | Node<'variable', { name: string }>
  | Node<'member', { object: Expression; name: string; isSafe: boolean }>
  | Node<'index', { object: Expression; index: Expression; isSafe: boolean }>;

export interface SwitchCase {
  /** Literals and ranges of integers. */
  readonly patterns: readonly Expression[];
  readonly guard: Expression | null;
  readonly body: Expression;
}

interface Branch {
  readonly condition: Expression;
  readonly body: Block;
}

interface Loop {
  /** null = none; the loop ends by `break`. */
  condition: Expression | null;
  /** Where the condition is checked. */
  test: 'before' | 'after';
  /** `until`: ends when the condition is true. */
  isUntil: boolean;
  body: Block;
}

export type Expression =
  | Place
  | Closure
  | Block
  | Node<'literal', { value: Literal }>
  | Node<'char', { text: string }>
  | Node<'template', { parts: readonly (string | Block)[] }>
  | Node<'array', { items: readonly Expression[] }>
  | Node<'map', { members: readonly (readonly [string, Expression])[] }>
  | Node<'call', { name: string; args: readonly Expression[] }>
  | Node<
      'method',
      { object: Expression; name: string; args: readonly Expression[]; isSafe: boolean }
    >
  | Node<'unary', { operator: '-' | '+' | '!'; operand: Expression }>
  | Node<'binary', { operator: BinaryOperator; left: Expression; right: Expression }>
  | Node<'logic', { operator: '&&' | '||' | '??'; left: Expression; right: Expression }>
  | Node<'if', { branches: readonly Branch[]; otherwise: Block | null }>
  | Node<
      'switch',
      { subject: Expression; cases: readonly SwitchCase[]; otherwise: Expression | null }
    >
  | Node<'loop', Loop>
  | Node<'for', { variable: string; counter: string | null; items: Expression; body: Block }>;

export type ExpressionOf<Kind extends Expression['kind']> = Extract<
  Expression,
  { readonly kind: Kind }
>;

export const isPlace = (expression: Expression): expression is Place =>
  expression.kind === 'variable' || expression.kind === 'member' || expression.kind === 'index';

/** The operator of `assign` is null for a plain `=`. */
export type Statement =
  | Node<'expression', { expression: Expression }>
  | Node<'let', { name: string; value: Expression | null; isConstant: boolean }>
  | Node<'assign', { place: Place; operator: BinaryOperator | null; value: Expression }>
  | Node<'return' | 'break' | 'throw', { value: Expression | null }>
  | Node<'continue'>
  | Node<'try', { body: Block; variable: string | null; handler: Block }>;

export type StatementOf<Kind extends Statement['kind']> = Extract<
  Statement,
  { readonly kind: Kind }
>;

export interface FunctionBody {
  readonly body: Block;
  readonly functions: ReadonlyMap<string, Closure>;
}
