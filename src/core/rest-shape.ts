/**
 * Request and response JSON of a provider, described by example: a placeholder stands for the input,
 * the vector or the score, and `[example, "{{..}}"]` for one element per input.
 */

const REPEAT = '{{..}}';

type Path = readonly (string | number)[];

/** Path of the placeholder: below each element of the repeated list, or from the root. */
interface Place {
  /** null = there is no repeated list. */
  readonly list: Path | null;
  readonly value: Path;
}

/** An example that describes no request or response; the message completes "`request` …". */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** The shape of a setting's example. @throws ShapeError that begins with the name of the setting */
export function ofSetting<Shape>(setting: string, make: () => Shape): Shape {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ShapeError(`\`${setting}\` ${error.message}`);
  }
}

export class RequestShape {
  readonly #example: unknown;
  readonly #place: Place;
  /** null without such a placeholder. */
  readonly #single: Path | null;

  /**
   * @param placeholder `{{text}}` or `{{fragment}}`
   * @param single placeholder of one value outside the repeated list; absent = none
   * @throws ShapeError
   */
  constructor(example: unknown, placeholder: string, single?: string) {
    this.#example = example;
    this.#place = findPlace(example, placeholder);
    this.#single = single === undefined ? null : findSingle(example, single);
  }

  get takesMany(): boolean {
    return this.#place.list !== null;
  }

  /**
   * @param inputs one, or any number if the shape has a repeated list
   * @param single value of the single placeholder
   */
  fill(inputs: readonly unknown[], single?: unknown): unknown {
    const { list, value } = this.#place;
    const whole =
      this.#single === null ? this.#example : replaceAt(this.#example, this.#single, single);
    if (list === null) return replaceAt(whole, value, inputs[0]);
    const [element] = valueAt(whole, list) as readonly unknown[];
    const filled = inputs.map((input) => replaceAt(element, value, input));
    return replaceAt(whole, list, filled);
  }
}

export class ResponseShape {
  readonly #place: Place;

  /** @param placeholder of the value to read, such as `{{embedding}}` @throws ShapeError */
  constructor(example: unknown, placeholder: string) {
    this.#place = findPlace(example, placeholder);
  }

  get givesMany(): boolean {
    return this.#place.list !== null;
  }

  /** The values at the positions of the placeholder. @throws ShapeError naming the path */
  read(answer: unknown): readonly unknown[] {
    const { list, value } = this.#place;
    if (list === null) return [existing(answer, value)];
    const elements = existing(answer, list);
    if (!Array.isArray(elements)) throw new ShapeError(`has no list at \`${nameOf(list)}\``);
    return elements.map((element) => existing(element, value));
  }
}

function findPlace(example: unknown, placeholder: string): Place {
  const [place, second] = placesOf(example, placeholder, true);
  if (place === undefined) throw new ShapeError(`lacks the placeholder \`"${placeholder}"\``);
  if (second !== undefined) throw new ShapeError(`has \`"${placeholder}"\` more than once`);
  return place;
}

/** @throws ShapeError unless the placeholder stands exactly once, outside the repeated list */
function findSingle(example: unknown, placeholder: string): Path {
  const places = placesOf(example, placeholder, false).filter(({ list }) => list === null);
  const [place, second] = places;
  if (place !== undefined && second === undefined) return place.value;
  const problem = place === undefined ? 'lacks' : 'has more than once';
  throw new ShapeError(`${problem} the placeholder \`"${placeholder}"\` outside the repeated list`);
}

const isRepeatedList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.at(-1) === REPEAT;

/** @param isRepeated true = the repeated list must contain the placeholder */
function placesOf(example: unknown, placeholder: string, isRepeated: boolean): Place[] {
  const found: Place[] = [];
  /** @param list path of the repeated list around `value`; `path` then counts from its elements */
  const walk = (value: unknown, path: Path, list: Path | null): void => {
    if (value === placeholder) found.push({ list, value: path });
    if (value === REPEAT) throw new ShapeError(`has \`"${REPEAT}"\` where nothing is repeated`);
    if (!isRepeatedList(value)) {
      for (const [name, member] of membersOf(value)) walk(member, [...path, name], list);
      return;
    }
    if (value.length !== 2 || list !== null)
      throw new ShapeError(`has \`"${REPEAT}"\`, but not once and behind exactly one element`);
    const before = found.length;
    walk(value[0], [], path);
    if (isRepeated && found.length === before)
      throw new ShapeError(`repeats \`${nameOf(path)}\`, which lacks \`"${placeholder}"\``);
  };
  walk(example, [], null);
  return found;
}

function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, at) => (at === head ? replaceAt(item, rest, replacement) : item));
  const members = Object.entries(value as object).map(([name, member]) => [
    name,
    name === head ? replaceAt(member, rest, replacement) : member,
  ]);
  return Object.fromEntries(members);
}

/** undefined if the path does not exist. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((parent, name) => {
    const isParent = typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name);
    return isParent ? (parent as Record<string | number, unknown>)[name] : undefined;
  }, value);
}

function existing(value: unknown, path: Path): unknown {
  const found = valueAt(value, path);
  if (found === undefined) throw new ShapeError(`has nothing at \`${nameOf(path)}\``);
  return found;
}

const nameOf = (path: Path): string => (path.length === 0 ? '.' : path.join('.'));
