/**
 * Whether a piece of work on an index is likely to be short, by how the same words in the same shape
 * went the last time, or else by what work of its shape took lately. A search that differs in kind
 * from all before it has a shape of its own, of which nothing is known. Holds numbers only: who
 * measures is somebody else.
 */
import { LruMap } from '../core/lru-map.ts';
import type { SearchRequest } from '../model/search.ts';
import type { QueryTask, QueryWork } from './query-protocol.ts';

/** Work that takes longer than expected is believed sooner than work that takes less. */
const WEIGHT_OF_LONGER = 0.25;
const WEIGHT_OF_SHORTER = 0.1;
/** What is longer than so many times the limit says no more about its shape. */
const SHAPE_LONG_MAX = 4;

/** Shapes and requests that are remembered; those met longest ago are forgotten. */
const SHAPES_MAX = 4096;
const REQUESTS_MAX = 4096;
/** Longer text is judged by its shape alone. */
const WORDS_LENGTH_MAX = 200;
/** Conditions of a filter are counted so far. */
const CONDITIONS_MAX = 1000;

/**
 * Work that was long is held to be short again and tried, since what it needed may be kept now: the
 * next time, then after 2, 4, 8 … and so many times.
 */
const PATIENCE_MAX = 64;

/** How a request went the last time. */
interface Known {
  isLong: boolean;
  /** How often it was held to be long since it was tried. */
  passedCount: number;
  patience: number;
}

export class WorkEstimates {
  readonly #shapes = new LruMap<string, number>(SHAPES_MAX);
  /** By shape and words. */
  readonly #requests = new LruMap<string, Known>(REQUESTS_MAX);
  readonly #longMs: number;

  /** @param longMs from so long on work is long */
  constructor(longMs: number) {
    this.#longMs = longMs;
  }

  /** False while nothing is known of such work. Work that was long is held to be short now and then. */
  isShort(task: QueryTask): boolean {
    const shape = shapeOf(task);
    const words = wordsOf(task);
    const known = words === null ? undefined : this.#requests.get(`${shape} ${words}`);
    if (known === undefined) {
      const expectedMs = this.#shapes.get(shape);
      return expectedMs !== undefined && expectedMs < this.#longMs;
    }
    if (!known.isLong) return true;
    if (++known.passedCount < known.patience) return false;
    known.passedCount = 0;
    known.patience = Math.min(2 * known.patience, PATIENCE_MAX);
    return true;
  }

  /** Learns from work that has been done, or was given up after so long. */
  took(task: QueryTask, milliseconds: number): void {
    const shape = shapeOf(task);
    const clippedMs = Math.min(milliseconds, SHAPE_LONG_MAX * this.#longMs);
    this.#shapes.set(shape, moved(this.#shapes.get(shape), clippedMs));
    const words = wordsOf(task);
    if (words === null) return;
    const request = `${shape} ${words}`;
    const known = this.#requests.get(request);
    const isLong = milliseconds >= this.#longMs;
    if (isLong && known?.isLong) return;
    this.#requests.set(request, { isLong, passedCount: 0, patience: 1 });
  }
}

function moved(before: number | undefined, milliseconds: number): number {
  if (before === undefined) return milliseconds;
  const weight = milliseconds > before ? WEIGHT_OF_LONGER : WEIGHT_OF_SHORTER;
  return before + weight * (milliseconds - before);
}

const indexOf = ({ snapshotKey }: QueryTask): string =>
  snapshotKey.slice(0, snapshotKey.indexOf(':'));

/** null where there are none, or too many. */
function wordsOf(task: QueryTask): string | null {
  const { work } = task;
  const request =
    work.kind === 'search'
      ? work.request
      : work.kind === 'facetSearch'
        ? work.request.search
        : null;
  const words = request?.q ?? '';
  return request === null || words.length > WORDS_LENGTH_MAX ? null : words;
}

/** What makes work of an index alike: numbers count by their magnitude. */
export const shapeOf = (task: QueryTask): string => `${indexOf(task)} ${shapeOfWork(task.work)}`;

function shapeOfWork(work: QueryWork): string {
  switch (work.kind) {
    case 'search':
      return shapeOfSearch(work.request);
    case 'facetSearch': {
      const { facetQuery, search } = work.request;
      return `values ${magnitude(facetQuery?.length ?? 0)} ${shapeOfSearch(search)}`;
    }
    case 'federated': {
      const shapes = new Set(work.search.queries.map(({ request }) => shapeOfSearch(request)));
      return `federated ${magnitude(work.search.queries.length)} ${[...shapes].slice(0, 4).join()}`;
    }
    case 'similar':
      return `similar ${magnitude(work.request.limit)} ${magnitude(conditions(work.request.filter?.form))}`;
    case 'documents': {
      const { offset, limit, ids, filter, sort } = work.request;
      const sizes = [offset, limit, ids?.length ?? 0, conditions(filter?.form), sort.length];
      return `documents ${sizes.map(magnitude).join(' ')}`;
    }
    default:
      return work.kind;
  }
}

const FLAGS = [
  'attributesToHighlight',
  'attributesToCrop',
  'attributesToSearchOn',
  'rankingScoreThreshold',
  'distinct',
  'locales',
] as const satisfies readonly (keyof SearchRequest)[];

function shapeOfSearch(request: SearchRequest): string {
  const { q, offset, limit, page, hitsPerPage, filter, sort, facets, semantic } = request;
  const text = q?.trim() ?? '';
  const words = text === '' ? 0 : text.split(/\s+/, 64).length;
  const lastWord = Math.min(3, text.length - 1 - text.lastIndexOf(' '));
  const pageSize = hitsPerPage ?? limit;
  const flags = FLAGS.map((name) => (request[name] === null ? '-' : '+')).join('');
  const { showMatchesPosition, showRankingScoreDetails, retrieveVectors } = request;
  const extras = [showMatchesPosition, showRankingScoreDetails, retrieveVectors];
  return [
    ...[magnitude(words), lastWord, magnitude(text.length), request.matchingStrategy],
    ...[magnitude(pageSize), magnitude(page === null ? offset : page * pageSize), page === null],
    ...[magnitude(conditions(filter?.form)), sort.length, magnitude(facets?.length ?? 0)],
    ...[facets?.includes('*') === true, semantic === null ? 0 : semantic.ratio === 1 ? 1 : 0.5],
    ...[flags, extras.map(Number).join('')],
  ].join(' ');
}

/** 0, 1, 2, 4, 8 …: the power of two that is reached. */
const magnitude = (number: number): number =>
  number < 1 ? 0 : 2 ** (31 - Math.clz32(Math.min(number, 2 ** 30)));

/** Pieces of a filter, however it is written: each hundred characters of text are one. */
function conditions(form: unknown): number {
  if (form === undefined || form === null) return 0;
  let count = 0;
  const open: unknown[] = [form];
  while (open.length > 0 && count < CONDITIONS_MAX) {
    const piece = open.pop();
    if (Array.isArray(piece)) open.push(...piece.slice(0, CONDITIONS_MAX));
    else count += typeof piece === 'string' ? 1 + Math.floor(piece.length / 100) : 1;
  }
  return count;
}
