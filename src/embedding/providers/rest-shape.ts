/**
 * Request and response JSON of a provider, described by example: a placeholder stands for the input
 * or the vector, and `[example, "{{..}}"]` for one element per input.
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

export class RequestShape {
  readonly #example: unknown;
  readonly #place: Place;

  /** @param placeholder `{{text}}` or `{{fragment}}` @throws ShapeError */
  constructor(example: unknown, placeholder: string) {
    this.#example = example;
    this.#place = findPlace(example, placeholder);
  }

  get takesMany(): boolean {
    return this.#place.list !== null;
  }

  /** @param inputs one, or any number if the shape has a repeated list */
  fill(inputs: readonly unknown[]): unknown {
    const { list, value } = this.#place;
    if (list === null) return replaceAt(this.#example, value, inputs[0]);
    const [element] = valueAt(this.#example, list) as readonly unknown[];
    const filled = inputs.map((input) => replaceAt(element, value, input));
    return replaceAt(this.#example, list, filled);
  }
}

export class ResponseShape {
  readonly #place: Place;

  /** @throws ShapeError */
  constructor(example: unknown) {
    this.#place = findPlace(example, '{{embedding}}');
  }

  get givesMany(): boolean {
    return this.#place.list !== null;
  }

  /** The values at the positions of the vectors. @throws ShapeError naming the path */
  read(answer: unknown): readonly unknown[] {
    const { list, value } = this.#place;
    if (list === null) return [existing(answer, value)];
    const elements = existing(answer, list);
    if (!Array.isArray(elements)) throw new ShapeError(`has no list at \`${nameOf(list)}\``);
    return elements.map((element) => existing(element, value));
  }
}

function findPlace(example: unknown, placeholder: string): Place {
  const places: Place[] = [];
  walk(example, [], null, placeholder, places);
  const [place, second] = places;
  if (place === undefined) throw new ShapeError(`lacks the placeholder \`"${placeholder}"\``);
  if (second !== undefined) throw new ShapeError(`has \`"${placeholder}"\` more than once`);
  return place;
}

/** @param list path of the repeated list around `value`; `path` then counts from its elements */
function walk(
  value: unknown,
  path: Path,
  list: Path | null,
  placeholder: string,
  found: Place[],
): void {
  if (value === placeholder) found.push({ list, value: path });
  if (value === REPEAT) throw new ShapeError(`has \`"${REPEAT}"\` where nothing is repeated`);
  if (Array.isArray(value) && value.at(-1) === REPEAT) {
    if (value.length !== 2 || list !== null)
      throw new ShapeError(`has \`"${REPEAT}"\`, but not once and behind exactly one element`);
    const before = found.length;
    walk(value[0], [], path, placeholder, found);
    if (found.length === before)
      throw new ShapeError(`repeats \`${nameOf(path)}\`, which lacks \`"${placeholder}"\``);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [name, member] of members) walk(member, [...path, name], list, placeholder, found);
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
