/** The typed tree of a script. `at` is the offset of a node in the script. */

/** Integers are `bigint`, floats `number`. */
export type Literal = null | boolean | bigint | number | string;

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '!in'
  | '..'
  | '..=';

export interface Block {
  readonly kind: 'block';
  readonly at: number;
  readonly statements: readonly Statement[];
  /**
   * True if the last statement is an expression without a semicolon; its value is the block's
   * value.
   */
  readonly hasValue: boolean;
}

export interface Closure {
  readonly kind: 'closure';
  readonly at: number;
  /** Empty for a closure. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Expression;
}

/** An assignable expression. */
export type Place =
  | { readonly kind: 'variable'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'member';
      readonly at: number;
      readonly object: Expression;
      readonly name: string;
      /** `?.`: returns `()` if the object is `()`. */
      readonly isSafe: boolean;
    }
  | {
      readonly kind: 'index';
      readonly at: number;
      readonly object: Expression;
      readonly index: Expression;
      readonly isSafe: boolean;
    };

export interface SwitchCase {
  /** Literals and ranges of integers. */
  readonly patterns: readonly Expression[];
  readonly guard: Expression | null;
  readonly body: Expression;
}

export type Expression =
  | { readonly kind: 'literal'; readonly at: number; readonly value: Literal }
  | { readonly kind: 'char'; readonly at: number; readonly text: string }
  | { readonly kind: 'template'; readonly at: number; readonly parts: readonly (string | Block)[] }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly Expression[] }
  | {
      readonly kind: 'map';
      readonly at: number;
      readonly members: readonly (readonly [string, Expression])[];
    }
  | Place
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | {
      readonly kind: 'method';
      readonly at: number;
      readonly object: Expression;
      readonly name: string;
      readonly args: readonly Expression[];
      readonly isSafe: boolean;
    }
  | {
      readonly kind: 'unary';
      readonly at: number;
      readonly operator: '-' | '+' | '!';
      readonly operand: Expression;
    }
  | {
      readonly kind: 'binary';
      readonly at: number;
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'logic';
      readonly at: number;
      readonly operator: '&&' | '||' | '??';
      readonly left: Expression;
      readonly right: Expression;
    }
  | Closure
  | Block
  | {
      readonly kind: 'if';
      readonly at: number;
      readonly branches: readonly { readonly condition: Expression; readonly body: Block }[];
      readonly otherwise: Block | null;
    }
  | {
      readonly kind: 'switch';
      readonly at: number;
      readonly subject: Expression;
      readonly cases: readonly SwitchCase[];
      readonly otherwise: Expression | null;
    }
  /**
   * `test`: where the condition is checked; null = nowhere. `until` ends when the condition is
   * true.
   */
  | {
      readonly kind: 'loop';
      readonly at: number;
      readonly condition: Expression | null;
      readonly test: 'before' | 'after';
      readonly isUntil: boolean;
      readonly body: Block;
    }
  | {
      readonly kind: 'for';
      readonly at: number;
      readonly variable: string;
      readonly counter: string | null;
      readonly items: Expression;
      readonly body: Block;
    };

export type ExpressionOf<Kind extends Expression['kind']> = Extract<
  Expression,
  { readonly kind: Kind }
>;

export const isPlace = (expression: Expression): expression is Place =>
  expression.kind === 'variable' || expression.kind === 'member' || expression.kind === 'index';

export type Statement =
  | { readonly kind: 'expression'; readonly at: number; readonly expression: Expression }
  | {
      readonly kind: 'let';
      readonly at: number;
      readonly name: string;
      readonly value: Expression | null;
      readonly isConstant: boolean;
    }
  | {
      readonly kind: 'assign';
      readonly at: number;
      readonly place: Place;
      /** null = plain `=`. */
      readonly operator: BinaryOperator | null;
      readonly value: Expression;
    }
  | { readonly kind: 'return'; readonly at: number; readonly value: Expression | null }
  | { readonly kind: 'break'; readonly at: number; readonly value: Expression | null }
  | { readonly kind: 'continue'; readonly at: number }
  | { readonly kind: 'throw'; readonly at: number; readonly value: Expression | null }
  | {
      readonly kind: 'try';
      readonly at: number;
      readonly body: Block;
      readonly variable: string | null;
      readonly handler: Block;
    };

export type StatementOf<Kind extends Statement['kind']> = Extract<
  Statement,
  { readonly kind: Kind }
>;

export interface FunctionBody {
  readonly body: Block;
  readonly functions: ReadonlyMap<string, Closure>;
}
