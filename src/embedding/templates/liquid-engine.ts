/**
 * Liquid with limits. Templates come from clients, so the cost of each rendering is bounded here,
 * and templates reach no files, prototypes or other templates.
 */
import { createRequire } from 'node:module';
import type {
  Context,
  Emitter,
  FilterImplOptions,
  Liquid,
  Operators,
  Template,
  Token,
} from 'liquidjs';
import { isDecimal } from '../../core/decimal-text.ts';

type Library = typeof import('liquidjs');
type FilterHandler = Exclude<FilterImplOptions, { readonly handler: unknown }>;
type OperatorResult = ReturnType<Operators[string]>;

export type ParsedTemplate = readonly Template[];

const TEMPLATE_CHARS_MAX = 65_536;
/** Limit of rendered nodes: 14,000 fields by the default template, a fifth of a second. */
const RENDER_STEPS_MAX = 100_000;
/**
 * Time limit, for costs that steps do not count, such as comparisons of long texts. Exceeding it
 * fails the task, and a busy machine may suspend a thread while it renders, so the limit is far
 * above the usual time.
 */
const RENDER_MS_MAX = 10_000;
/** Characters and elements that filters and ranges of one rendering make. */
const MADE_VALUES_MAX = 2_000_000;
/**
 * Size limit of all values that one rendering writes, captures included; an image in base64 fits.
 */
const WRITTEN_CHARS_MAX = 32 << 20;

/** Removed tags: they reach other templates, or write output that is not counted. */
const REMOVED_TAGS = ['include', 'render', 'layout', 'block', 'echo', 'liquid'];
/**
 * Removed filters: output of `raw` is not counted; the others run an expression for each element of
 * a list.
 */
const REMOVED_FILTERS = [
  'raw',
  ...['where', 'reject', 'group_by', 'has', 'find', 'find_index'].map((name) => `${name}_exp`),
];

const ARITHMETIC = [
  'abs',
  'at_least',
  'at_most',
  'ceil',
  'floor',
  'minus',
  'plus',
  'round',
  'times',
];

/** Filters of the library that do not count the text that they read. */
const UNCOUNTED_FILTERS: ReadonlySet<string> = new Set([
  ...['url_encode', 'url_decode', 'cgi_escape', 'uri_escape', 'slugify', 'replace'],
]);

/** A client's template that does not parse, or fails on a document. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** `missing`: it uses a variable that does not exist. */
  readonly stage: 'parsing' | 'rendering' | 'missing';
  constructor(stage: TemplateError['stage'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.stage = stage;
  }
}

/** Rendering is synchronous, so one counter serves all renderings. */
let writtenChars = 0;

interface Engine {
  readonly library: Library;
  readonly liquid: Liquid;
}

let engine: Engine | null = null;

/**
 * Loads the library at the first template: it takes 10 MB and 30 ms in each thread, and most
 * servers render none. Loads synchronously, because rendering is part of indexing, which is
 * synchronous.
 */
function theEngine(): Engine {
  if (engine === null) {
    const library = createRequire(import.meta.url)('liquidjs') as Library;
    engine = { library, liquid: createLiquid(library) };
  }
  return engine;
}

function createLiquid({ Liquid, defaultOperators }: Library): Liquid {
  const created = new Liquid({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    templates: {},
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: TEMPLATE_CHARS_MAX,
    memoryLimit: MADE_VALUES_MAX,
    outputEscape: toCountedText,
    operators: timedOperators(defaultOperators),
  });
  for (const tag of REMOVED_TAGS) delete created.tags[tag];
  for (const filter of REMOVED_FILTERS) created.unregisterFilter(filter);
  registerArithmetic(created);
  for (const [name, filter] of Object.entries(created.filters)) {
    if (typeof filter === 'function') created.registerFilter(name, timedFilter(name, filter));
  }
  return created;
}

/** @throws Error for a value that is neither a number nor the text of one */
function toNumber(value: unknown): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  if (typeof value === 'string' && isDecimal(value)) return Number(value);
  throw new Error('arithmetic needs numbers');
}

function toDivisor(value: unknown): number {
  const divisor = toNumber(value);
  if (divisor !== 0) return divisor;
  throw new Error('it divides by zero');
}

/** The library's filters take any value, as zero if it is no number. */
function registerArithmetic(liquid: Liquid): void {
  for (const name of ARITHMETIC) {
    const filter = liquid.filters[name] as (...operands: number[]) => number;
    liquid.registerFilter(name, (...operands) => toNumber(filter(...operands.map(toNumber))));
  }
  liquid.registerFilter('divided_by', dividedBy);
  liquid.registerFilter('modulo', (dividend, divisor) => toNumber(dividend) % toDivisor(divisor));
}

/** Characters before a filter that may hold the number it is applied to. */
const OPERAND_CHARS_MAX = 32;
/** A decimal point in the number before the filter, or in its argument. */
const HAS_DECIMAL = /\d\.\d+["']?\s*(?:\|\s*divided_by|$)/;

/**
 * The library looks at the time before each node, but a node may have thousands of filters and
 * operators, each of which reads a long text.
 */
function checkTime(context: Context): void {
  (context.renderLimit as unknown as RenderLimit).checkTime(performance.now());
}

const timedFilter = (name: string, filter: FilterHandler): FilterHandler =>
  function (value, ...given) {
    checkTime(this.context);
    if (UNCOUNTED_FILTERS.has(name)) this.context.memoryLimit.use(String(value).length);
    return filter.call(this, value, ...given);
  };

/** The context is the last argument of an operator. */
function timedOperators(operators: Operators): Operators {
  const timed = Object.entries(operators).map(([name, operator]) => {
    const run = operator as (...given: readonly unknown[]) => OperatorResult;
    const handler = (...given: readonly unknown[]): OperatorResult => {
      checkTime(given.at(-1) as Context);
      return run(...given);
    };
    return [name, handler] as const;
  });
  return Object.fromEntries(timed);
}

/**
 * Integers divide to an integer, as Liquid defines it, unless the template writes one of them with a
 * decimal point.
 */
function dividedBy(this: { readonly token: Token }, dividend: unknown, divisor: unknown): number {
  const [a, b] = [toNumber(dividend), toDivisor(divisor)];
  const { input, begin, end } = this.token;
  const written = input.slice(Math.max(0, begin - OPERAND_CHARS_MAX), end);
  const isWhole = Number.isInteger(a) && Number.isInteger(b) && !HAS_DECIMAL.test(written);
  return isWhole ? Math.trunc(a / b) : a / b;
}

function toCountedText(value: unknown): string {
  const text = toText(value);
  writtenChars += text.length;
  if (writtenChars <= WRITTEN_CHARS_MAX) return text;
  throw new Error(`it writes more than ${WRITTEN_CHARS_MAX} characters`);
}

/** Lists and objects are written as their concatenated values, without separators. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).join('');
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}${toText(member)}`)
    .join('');
}

/**
 * Limits of one rendering, or of all strings of a fragment; the library checks them before each node.
 */
export class RenderLimit {
  readonly #msMax: number;
  #steps = 0;
  #endMs = Number.POSITIVE_INFINITY;
  /** Characters that all renderings of the limit have written. */
  writtenChars = 0;

  constructor(msMax = RENDER_MS_MAX) {
    this.#msMax = msMax;
  }

  check(nowMs: number): void {
    if (this.#steps === 0) this.#endMs = nowMs + this.#msMax;
    this.#steps += 1;
    if (this.#steps > RENDER_STEPS_MAX)
      throw new Error(`it takes more than ${RENDER_STEPS_MAX} steps`);
    this.checkTime(nowMs);
  }

  /** Within a node. */
  checkTime(nowMs: number): void {
    if (nowMs > this.#endMs) throw new Error(`it takes longer than ${this.#msMax} ms`);
  }
}

/** Takes the first characters, then ends the rendering. */
class HeadEmitter implements Emitter {
  buffer = '';
  readonly #charsMax: number;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get isFull(): boolean {
    return this.buffer.length >= this.#charsMax;
  }

  write(value: unknown): void {
    this.buffer += String(value).slice(0, this.#charsMax - this.buffer.length);
    if (this.isFull) throw new Error('full');
  }
}

export function parseTemplate(text: string): ParsedTemplate {
  try {
    return theEngine().liquid.parse(text);
  } catch (error) {
    throw new TemplateError('parsing', error);
  }
}

/** A variable whose members, at any depth, all exist and render as `text`. */
export function sampleVariable(text: string): object {
  const { Drop } = theEngine().library;
  class Sample extends Drop {
    override liquidMethodMissing(): this {
      return this;
    }
    override toString(): string {
      return text;
    }
  }
  return new Sample();
}

/**
 * @returns the first `charsMax` characters; the rest is not rendered
 * @throws TemplateError
 */
export function renderTemplate(
  template: ParsedTemplate,
  variables: object,
  charsMax = WRITTEN_CHARS_MAX,
  limit = new RenderLimit(),
): string {
  const { library, liquid } = theEngine();
  const emitter = new HeadEmitter(charsMax);
  // The library's own limit counts only time.
  const renderLimit = limit as unknown as Context['renderLimit'];
  const context = new library.Context(variables, liquid.options, { sync: true }, { renderLimit });
  writtenChars = limit.writtenChars;
  try {
    library.toValueSync(liquid.renderer.renderTemplates([...template], context, emitter));
  } catch (error) {
    if (!emitter.isFull)
      throw new TemplateError(
        error instanceof library.UndefinedVariableError ? 'missing' : 'rendering',
        error,
      );
  }
  limit.writtenChars = writtenChars;
  return emitter.buffer;
}
