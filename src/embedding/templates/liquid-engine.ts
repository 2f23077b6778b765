/**
 * Liquid with its limits: templates come from clients, so neither a short nor an endless one costs
 * more than stated here, and none reaches files, prototypes or other templates.
 */
import { createRequire } from 'node:module';
import type { Context, Emitter, Liquid, Template } from 'liquidjs';

type Library = typeof import('liquidjs');

export type ParsedTemplate = readonly Template[];

const TEMPLATE_CHARS_MAX = 65_536;
/** Nodes that one rendering passes: 14,000 fields by the default template, a fifth of a second. */
const RENDER_STEPS_MAX = 100_000;
/**
 * For what steps do not count, such as comparisons of long texts. A busy machine may lay a thread
 * aside in the middle of a rendering, and to be stopped fails the task: so it is far above that.
 */
const RENDER_MS_MAX = 10_000;
/** Characters and elements that filters and ranges of one rendering make. */
const MADE_VALUES_MAX = 2_000_000;
/** Of all values that one rendering writes, those into captures too; a picture in base64 fits. */
const WRITTEN_CHARS_MAX = 32 << 20;

/** They reach other templates, or write past the count of what is written. */
const REMOVED_TAGS = ['include', 'render', 'layout', 'block', 'echo', 'liquid'];
/** `raw` writes past that count; the others run an expression for each element of a list. */
const REMOVED_FILTERS = [
  'raw',
  ...['where', 'reject', 'group_by', 'has', 'find', 'find_index'].map((name) => `${name}_exp`),
];

/** A template of a client that does not parse, or fails on a document. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** `missing`: it uses a variable that is not there. */
  readonly stage: 'parsing' | 'rendering' | 'missing';
  constructor(stage: TemplateError['stage'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.stage = stage;
  }
}

/** Rendering is synchronous, so one count serves all. */
let writtenChars = 0;

interface Engine {
  readonly library: Library;
  readonly liquid: Liquid;
}

let engine: Engine | null = null;

/**
 * Loads the library at the first template: it takes 10 MB and 30 ms in each thread, and most
 * servers render none. At once, because rendering is part of indexing, which waits for nothing.
 */
function theEngine(): Engine {
  if (engine === null) {
    const library = createRequire(import.meta.url)('liquidjs') as Library;
    engine = { library, liquid: createLiquid(library) };
  }
  return engine;
}

function createLiquid({ Liquid }: Library): Liquid {
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
  });
  for (const tag of REMOVED_TAGS) delete created.tags[tag];
  for (const filter of REMOVED_FILTERS) created.unregisterFilter(filter);
  return created;
}

function toCountedText(value: unknown): string {
  const text = toText(value);
  writtenChars += text.length;
  if (writtenChars <= WRITTEN_CHARS_MAX) return text;
  throw new Error(`it writes more than ${WRITTEN_CHARS_MAX} characters`);
}

/** Lists and objects are written as what they hold, without anything between. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).join('');
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}${toText(member)}`)
    .join('');
}

/** Of one rendering; the library asks before each node. */
class RenderLimit {
  #steps = 0;
  #endMs = Number.POSITIVE_INFINITY;

  check(nowMs: number): void {
    if (this.#steps === 0) this.#endMs = nowMs + RENDER_MS_MAX;
    this.#steps += 1;
    if (this.#steps > RENDER_STEPS_MAX)
      throw new Error(`it takes more than ${RENDER_STEPS_MAX} steps`);
    if (nowMs > this.#endMs) throw new Error(`it takes longer than ${RENDER_MS_MAX} ms`);
  }
}

/** Takes the first characters and ends the rendering when it has them. */
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

/** @throws TemplateError */
export function parseTemplate(text: string): ParsedTemplate {
  try {
    return theEngine().liquid.parse(text);
  } catch (error) {
    throw new TemplateError('parsing', error);
  }
}

/** A variable each of whose members, at any depth, is there and is written as `text`. */
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
 * @returns the first `charsMax` characters; what would come after them is not rendered
 * @throws TemplateError
 */
export function renderTemplate(
  template: ParsedTemplate,
  variables: object,
  charsMax = WRITTEN_CHARS_MAX,
): string {
  const { library, liquid } = theEngine();
  const emitter = new HeadEmitter(charsMax);
  // The library's own limit is a time alone.
  const renderLimit = new RenderLimit() as unknown as Context['renderLimit'];
  const context = new library.Context(variables, liquid.options, { sync: true }, { renderLimit });
  writtenChars = 0;
  try {
    library.toValueSync(liquid.renderer.renderTemplates([...template], context, emitter));
  } catch (error) {
    if (!emitter.isFull)
      throw new TemplateError(
        error instanceof library.UndefinedVariableError ? 'missing' : 'rendering',
        error,
      );
  }
  return emitter.buffer;
}
