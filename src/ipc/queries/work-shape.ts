/**
 * What makes pieces of work on an index alike: their shape, and within it the question they ask.
 * Both are texts to look up by.
 */
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { QueryTask, QueryWork } from './query-protocol.ts';

/** A longer question is judged by its shape alone. */
const QUESTION_LENGTH_MAX = 200;
/** Conditions of a filter are counted so far. */
const CONDITIONS_MAX = 1000;
const QUESTION_CONDITIONS_MAX = 8;

const indexOf = ({ snapshotKey }: QueryTask): string =>
  snapshotKey.slice(0, snapshotKey.indexOf(':'));

/** Words, filter and sort, by which work of one shape differs; null where they are too long. */
export function questionOf(work: QueryWork): string | null {
  if (work.kind === 'search') return questionOfSearch(work.request);
  if (work.kind !== 'facetSearch') return null;
  const { facetQuery, search } = work.request;
  return shortText(`${facetQuery} ${questionOfSearch(search)}`);
}

function questionOfSearch({ q, filter, sort }: SearchRequest): string | null {
  if (filter === null && sort.length === 0) return shortText(q ?? '');
  if (factsOf(filter).conditionCount > QUESTION_CONDITIONS_MAX) return null;
  return shortText(`${q} ${JSON.stringify([filter?.form, sort])}`);
}

const shortText = (text: string): string | null =>
  text.length > QUESTION_LENGTH_MAX ? null : text;

/** Everything that says how much work it is to answer: numbers count by their magnitude. */
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
      return `similar ${magnitude(work.request.limit)} ${filterShape(work.request.filter)}`;
    case 'documents': {
      const { offset, limit, ids, filter, sort } = work.request;
      const sizes = [offset, limit, ids?.length ?? 0, sort.length].map(magnitude);
      return `documents ${sizes.join(' ')} ${filterShape(filter)}`;
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
const SWITCHES = ['showMatchesPosition', 'showRankingScoreDetails', 'retrieveVectors'] as const;
/** Words are counted so far. */
const WORDS_MAX = 64;

function shapeOfSearch(request: SearchRequest): string {
  const { q, offset, limit, page, hitsPerPage, filter, sort, facets, semantic } = request;
  const text = q?.trim() ?? '';
  const lastWord = Math.min(3, text.length - 1 - text.lastIndexOf(' '));
  const pageSize = hitsPerPage ?? limit;
  const start = magnitude(page === null ? offset : page * pageSize);
  const words = `${magnitude(wordCount(text))} ${lastWord} ${magnitude(text.length)}`;
  const window = `${magnitude(pageSize)} ${start} ${page === null}`;
  const selection = `${filterShape(filter)} ${sortShape(sort)} ${facetShape(facets)}`;
  const meaning = semantic === null ? 0 : semantic.ratio === 1 ? 1 : 0.5;
  return `${words} ${request.matchingStrategy} ${window} ${selection} ${meaning} ${extrasOf(request)}`;
}

/** Blanks between words, and one. */
function wordCount(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf(' '); at >= 0 && count < WORDS_MAX; at = text.indexOf(' ', at + 1))
    count++;
  return count;
}

/** A number that says which of them are asked for. */
function extrasOf(request: SearchRequest): number {
  let extras = 0;
  for (const name of FLAGS) extras = 2 * extras + Number(request[name] !== null);
  for (const name of SWITCHES) extras = 2 * extras + Number(request[name]);
  return extras;
}

const facetShape = (facets: SearchRequest['facets']): string =>
  facets === null ? '' : facets.includes('*') ? '*' : `${magnitude(facets.length)}`;

const sortShape = (sort: SearchRequest['sort']): string =>
  sort.length === 0 ? '' : sort.map(({ kind }) => kind).join();

/** Conditions that ask more of an index than to look values up. */
const HARD_CONDITION = /CONTAINS|_geo|_foreign/i;
/** Of each piece of a filter that is searched for them. */
const SEARCHED_LENGTH = 1000;

interface FilterFacts {
  readonly conditionCount: number;
  readonly isHard: boolean;
}

/** 0, 1, 2, 4, 8 …: the power of two that is reached. */
const magnitude = (number: number): number =>
  number < 1 ? 0 : 2 ** (31 - Math.clz32(Math.min(number, 2 ** 30)));

/** Pieces of a filter, however it is written: each hundred characters of text are one. */
function factsOf(filter: UnparsedFilter | null): FilterFacts {
  let conditionCount = 0;
  let isHard = false;
  const open: unknown[] = filter === null ? [] : [filter.form];
  while (open.length > 0 && conditionCount < CONDITIONS_MAX) {
    const piece = open.pop();
    if (Array.isArray(piece)) open.push(...piece.slice(0, CONDITIONS_MAX));
    else if (typeof piece === 'string') {
      conditionCount += 1 + Math.floor(piece.length / 100);
      isHard ||= HARD_CONDITION.test(piece.slice(0, SEARCHED_LENGTH));
    }
  }
  return { conditionCount, isHard };
}

function filterShape(filter: UnparsedFilter | null): string {
  if (filter === null) return '';
  const { conditionCount, isHard } = factsOf(filter);
  return `${magnitude(conditionCount)}${isHard ? '!' : ''}`;
}
