/**
 * Parses a filter expression (relevance.md 5.1) by recursive descent; nesting is bounded, chains
 * are not.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { VECTORS_FIELD } from '../embedders/embedder-settings.ts';
import type { FilterClock } from './filter-clock.ts';
import {
  type AttributeCondition,
  type ComparisonOperator,
  type FilterFeatures,
  type FilterNode,
  joinNodes,
  type Mark,
  type TextOperator,
  type VectorsAspect,
  type VectorsCondition,
} from './filter-node.ts';
import { FilterScanner, type ScannedWord } from './filter-scanner.ts';
import { GEO_FUNCTIONS } from './geo-arguments.ts';

/** Maximum levels of an expression: a parenthesis takes four, a NOT one, and a condition three. */
const LEVELS_MAX = 150;
const LEVELS_OF_CONDITION = 3;
const LEVELS_OF_PARENTHESIS = 4;

const COMPARISONS: readonly ComparisonOperator[] = ['<=', '>=', '<', '>'];

export const FOREIGN = '_foreign';
/** Refused here, because a shard is a filter of its own. */
const SHARD = '_shard';

const OPERATORS =
  'an operator: `=`, `!=`, `>`, `>=`, `<`, `<=`, `TO`, `IN`, `NOT IN`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH` or `NOT STARTS WITH`';

export interface ParseContext {
  readonly code: ErrorCode;
  readonly features: FilterFeatures;
  readonly clock: FilterClock;
  /** The first use of a disabled feature; raised once all of the filter has valid syntax. */
  refusal: ApiError | null;
}

/** @param name of the text in errors */
export function parseExpression(text: string, name: string, context: ParseContext): FilterNode {
  return new ExpressionParser(new FilterScanner(text, context.code, name), context).parse();
}

class ExpressionParser {
  readonly #scanner: FilterScanner;
  readonly #context: ParseContext;
  #levels = LEVELS_OF_CONDITION;
  #isInForeign = false;

  constructor(scanner: FilterScanner, context: ParseContext) {
    this.#scanner = scanner;
    this.#context = context;
  }

  parse(): FilterNode {
    const node = this.#disjunction();
    this.#scanner.skipBlanks();
    if (!this.#scanner.isAtEnd) this.#scanner.fail('`AND`, `OR` or the end of the filter');
    return node;
  }

  #disjunction(): FilterNode {
    const first = this.#conjunction();
    if (!this.#scanner.takeKeyword('OR')) return first;
    const children = [first];
    do children.push(this.#conjunction());
    while (this.#scanner.takeKeyword('OR'));
    return joinNodes('or', children);
  }

  #conjunction(): FilterNode {
    const first = this.#negation();
    if (!this.#scanner.takeKeyword('AND')) return first;
    const children = [first];
    do children.push(this.#negation());
    while (this.#scanner.takeKeyword('AND'));
    return joinNodes('and', children);
  }

  #negation(): FilterNode {
    let count = 0;
    while (this.#scanner.takeKeyword('NOT')) {
      this.#descend(1);
      count += 1;
    }
    const node = this.#primary();
    this.#levels -= count;
    return count % 2 === 0 ? node : { kind: 'not', child: node };
  }

  #descend(levels: number): void {
    this.#levels += levels;
    if (this.#levels > LEVELS_MAX) this.#scanner.fail('less nesting of parentheses and `NOT`');
  }

  #primary(): FilterNode {
    const scanner = this.#scanner;
    if (scanner.takeSign('(')) {
      this.#descend(LEVELS_OF_PARENTHESIS);
      const node = this.#disjunction();
      this.#levels -= LEVELS_OF_PARENTHESIS;
      scanner.expectSign(')');
      return node;
    }
    const word = scanner.readWord('a condition such as `attribute = value`, `NOT` or `(`');
    return word.isQuoted ? this.#operation(word) : (this.#special(word) ?? this.#operation(word));
  }

  /** A geo function; null for an attribute name. */
  #special(word: ScannedWord): FilterNode | null {
    const scanner = this.#scanner;
    const geo = GEO_FUNCTIONS.get(word.text);
    if (geo !== undefined) {
      this.#expectArguments(word.text);
      return geo(scanner, word.at + 1, this.#context.clock);
    }
    scanner.refuseReserved(word, 'an attribute');
    if (isOrBelow(word.text, VECTORS_FIELD) && !scanner.isBefore(OPERATION_ON_VALUES))
      return this.#vectors(word);
    if (isOrBelow(word.text, FOREIGN)) return this.#foreign(word);
    if (isOrBelow(word.text, SHARD))
      this.#refuseFeature(`\`${SHARD}\``, word.at, 'network', 'this server does not have it');
    return null;
  }

  #expectArguments(name: string): void {
    this.#context.clock.tick();
    if (this.#scanner.text[this.#scanner.at] !== '(')
      this.#scanner.fail(`\`(\` directly after \`${name}\``);
  }

  /** `_foreign(attribute, expression)`; takes as many levels as a parenthesis. */
  #foreign({ text, at }: ScannedWord): FilterNode {
    const scanner = this.#scanner;
    if (!this.#context.features.foreignKeys)
      this.#refuseFeature(`\`${FOREIGN}\``, at, 'foreignKeys');
    if (text !== FOREIGN) scanner.fail(`\`${FOREIGN}(attribute, filter)\``, at);
    if (this.#isInForeign) scanner.fail(`no \`${FOREIGN}\` inside another`, at);
    this.#expectArguments(FOREIGN);
    scanner.expectSign('(');
    const { text: attribute } = scanner.readPlainWord('an attribute');
    scanner.expectSign(',');
    this.#descend(LEVELS_OF_PARENTHESIS);
    this.#isInForeign = true;
    const start = scanner.at;
    const filter = this.#disjunction();
    const filterText = scanner.text.slice(start, scanner.at).trim();
    this.#isInForeign = false;
    this.#levels -= LEVELS_OF_PARENTHESIS;
    scanner.expectSign(')');
    return { kind: 'foreign', attribute, column: at + 1, filter, filterText, end: scanner.at };
  }

  #vectors({ text, at }: ScannedWord): FilterNode {
    this.#context.clock.tick();
    const asked = this.#vectorsAsked(text.slice(VECTORS_FIELD.length));
    const isNegated = this.#scanner.takeKeywordAndBlanks('NOT');
    if (!this.#scanner.takeSign('EXISTS')) this.#scanner.fail('`EXISTS` or `NOT EXISTS`');
    if (!this.#context.features.multimodal)
      this.#refuseFeature(`\`${VECTORS_FIELD}\``, at, 'multimodal');
    return negatedWhen(isNegated, { kind: 'vectors', column: at + 1, ...asked });
  }

  /**
   * An embedder and the kind of its vectors; quoted names may contain any character. @param path
   * the text after `_vectors` up to a blank or a quote: empty, or a dot and more
   */
  #vectorsAsked(path: string): Pick<VectorsCondition, 'embedder' | 'aspect'> {
    if (path === '') return { embedder: null, aspect: null };
    const scanner = this.#scanner;
    const quoted = path === '.' ? this.#quotedName() : null;
    if (path === '.' && quoted === null) scanner.fail('the name of an embedder');
    const { embedder = '', suffix = '' } = VECTORS_PATH.exec(path)?.groups ?? {};
    return quoted === null
      ? { embedder, aspect: this.#aspect(suffix) }
      : { embedder: quoted, aspect: this.#aspect(this.#wordBehind()) };
  }

  /** @param suffix of a name, with its dot; empty = any vectors */
  #aspect(suffix: string): VectorsCondition['aspect'] {
    if (suffix === '') return null;
    const maker = MAKERS.find((known) => suffix === `.${known}`);
    if (maker !== undefined) return maker;
    const [, unquoted] = /^\.fragments\.(.*)$/u.exec(suffix) ?? [];
    const fragment = unquoted === '' ? this.#quotedName() : unquoted;
    if (fragment === null || fragment === undefined)
      this.#scanner.fail(
        `${MAKERS.map((known) => `\`.${known}\``).join(', ')} or \`.fragments.\` and a name`,
      );
    return { fragment };
  }

  /** The quoted text at the current position; null if there is no quote. */
  #quotedName(): string | null {
    const next = this.#scanner.text[this.#scanner.at];
    return next === '"' || next === "'" ? this.#scanner.readWord('a name').text : null;
  }

  /** A word at the current position that begins with a dot, or ''. */
  #wordBehind(): string {
    const { text, at } = this.#scanner;
    return text[at] === '.' ? this.#scanner.readWord('a name').text : '';
  }

  #refuseFeature(what: string, at: number, feature: string, why = 'it is off'): void {
    this.#context.refusal ??= new ApiError(
      'feature_not_enabled',
      `The filter uses ${what} at column ${at + 1}, which needs the experimental feature \`${feature}\`; ${why}.`,
    );
  }

  #operation({ text: attribute, at }: ScannedWord): FilterNode {
    this.#context.clock.tick();
    const scanner = this.#scanner;
    const on = { attribute, column: at + 1 };
    if (scanner.takeSign('='))
      return { kind: 'values', operator: '=', values: [this.#value()], ...on };
    if (scanner.takeSign('!='))
      return { kind: 'values', operator: '!=', values: [this.#value()], ...on };
    for (const operator of COMPARISONS) {
      if (scanner.takeSign(operator))
        return { kind: 'comparison', operator, value: this.#value(), ...on };
    }
    if (scanner.takeKeywordAndBlanks('IS')) {
      const isNegated = scanner.takeKeywordAndBlanks('NOT');
      return negatedWhen(isNegated, { kind: 'mark', mark: this.#nullOrEmpty(), ...on });
    }
    const isNegated = scanner.takeKeywordAndBlanks('NOT');
    const condition = this.#negatable(on);
    if (condition !== null) return negatedWhen(isNegated, condition);
    if (isNegated) scanner.fail('`IN`, `EXISTS`, `CONTAINS` or `STARTS WITH` after `NOT`');
    return this.#range(on);
  }

  /** A condition with an optional NOT before its keyword; null if there is no such keyword. */
  #negatable(on: {
    readonly attribute: string;
    readonly column: number;
  }): AttributeCondition | null {
    const scanner = this.#scanner;
    if (scanner.takeKeyword('IN'))
      return { kind: 'values', operator: 'IN', values: this.#list(), ...on };
    if (scanner.takeSign('EXISTS')) return { kind: 'mark', mark: 'EXISTS', ...on };
    const operatorAt = scanner.at;
    let operator: TextOperator | null = null;
    if (scanner.takeSign('CONTAINS')) {
      operator = 'CONTAINS';
      if (!this.#context.features.containsFilter)
        this.#refuseFeature('`CONTAINS`', operatorAt, 'containsFilter');
    } else if (scanner.takeSign('STARTS WITH')) operator = 'STARTS WITH';
    return operator && { kind: 'text', operator, value: this.#value(), ...on };
  }

  #range(on: { readonly attribute: string; readonly column: number }): AttributeCondition {
    const scanner = this.#scanner;
    const from = scanner.readPlainWord(OPERATORS).text;
    if (!scanner.takeKeyword('TO'))
      scanner.fail(`\`TO\` of a range, or before the value ${OPERATORS}`);
    if (!scanner.isBefore(BLANK)) scanner.fail('a blank and a value');
    return { kind: 'range', from, to: this.#value(), ...on };
  }

  #nullOrEmpty(): Mark {
    if (this.#scanner.takeSign('NULL')) return 'IS NULL';
    if (this.#scanner.takeSign('EMPTY')) return 'IS EMPTY';
    return this.#scanner.fail('`NULL`, `NOT NULL`, `EMPTY` or `NOT EMPTY`');
  }

  #value(): string {
    return this.#scanner.readPlainWord('a value').text;
  }

  #list(): string[] {
    const scanner = this.#scanner;
    const values: string[] = [];
    scanner.expectSign('[');
    while (!scanner.takeSign(']')) {
      this.#context.clock.tick();
      values.push(this.#value());
      if (scanner.takeSign(',')) continue;
      if (!scanner.takeSign(']')) scanner.fail('`,` or `]`');
      break;
    }
    return values;
  }
}

const isOrBelow = (text: string, name: string): boolean =>
  text === name || text.startsWith(`${name}.`);

/** After `_vectors` or a name below it, these begin a condition on an ordinary attribute. */
const OPERATION_ON_VALUES = /\s*(?:[=<>]|!=|IS\s|(?:NOT\s+)?IN\s*\[)/uy;

const BLANK = /[ \t\r\n]/y;

const MAKERS: readonly VectorsAspect[] = ['userProvided', 'documentTemplate', 'regenerate'];

/** An unquoted name may contain dots: the last known suffix ends it. */
const VECTORS_PATH =
  /^\.(?<embedder>.+?)(?<suffix>\.userProvided|\.documentTemplate|\.regenerate|\.fragments\..*)?$/u;

const negatedWhen = (isNegated: boolean, node: FilterNode): FilterNode =>
  isNegated ? { kind: 'not', child: node } : node;
