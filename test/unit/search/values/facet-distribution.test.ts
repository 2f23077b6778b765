/**
 * Facet counts: facts of the reference, and equality with counting by hand over random documents
 * and segment layouts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { normalizeValue } from '../../../../src/engine/columns/normalize-value.ts';
import { mergedFacetMembers } from '../../../../src/model/federated-facets.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../../../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/model/settings.ts';
import { writeSearchAnswer } from '../../../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { countFacets, decimalText } from '../../../../src/search/values/facet-distribution.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type PlacedDocument,
  type SourceDocument,
} from '../../../support/build-snapshot.ts';
import { amount } from '../../../support/run-length.ts';
import { searchFilter } from '../../../support/search-request.ts';

interface Answer {
  readonly facetDistribution?: Record<string, Record<string, number>>;
  readonly facetStats?: Record<string, { min: number; max: number }>;
  readonly estimatedTotalHits?: number;
}

function search(
  documents: readonly SourceDocument[],
  settings: Partial<Settings>,
  request: Partial<SearchRequest>,
): { text: string; answer: Answer } {
  const snapshot = buildSnapshot({ documents, settings });
  const whole = { ...DEFAULT_SEARCH_REQUEST, ...request };
  const outcome = executeSearch(snapshot, whole, Deadline.never());
  const { bytes } = writeSearchAnswer(snapshot, whole, outcome, () => ({
    requestUid: 'x',
    processingTimeMs: 0,
  }));
  const text = new TextDecoder().decode(bytes);
  return { text, answer: JSON.parse(text) as Answer };
}

const valuesOf = (
  documents: readonly SourceDocument[],
  settings: Partial<Settings>,
  field = 'f',
): [string, number][] => {
  const snapshot = buildSnapshot({
    documents,
    settings: { filterableAttributes: [field], ...settings },
  });
  return [...countFacets(snapshot, [field], snapshot.live)[0]!.values];
};

const withF = (values: readonly unknown[]): SourceDocument[] => values.map((f, id) => ({ id, f }));
const faceting = (order: 'alpha' | 'count', maxValuesPerFacet = 100): Partial<Settings> => ({
  faceting: { maxValuesPerFacet, sortFacetValuesBy: { '*': order } },
});

const ALL = { facetSearch: true, filter: { equality: true, comparison: true } };

describe('which facets are answered', () => {
  const documents = [
    { id: 1, colour: 'red', dog: { name: 'rex', age: 3 } },
    { id: 2, colour: 'blue', dog: { name: 'bo' } },
  ];

  it('gives neither member without facets or with an empty list', () => {
    for (const facets of [null, []]) {
      const { answer } = search(documents, { filterableAttributes: ['colour'] }, { facets });
      expect(answer).not.toHaveProperty('facetDistribution');
      expect(answer).not.toHaveProperty('facetStats');
    }
  });

  it('gives all filterable fields for a star, sorted, and no field that is only sortable', () => {
    const settings = {
      filterableAttributes: ['dog.name', 'colour'],
      sortableAttributes: ['dog.age'],
    };
    const { answer } = search(documents, settings, { facets: ['*'] });
    expect(Object.keys(answer.facetDistribution!)).toEqual(['colour', 'dog.name']);
  });

  it('gives a parent with every field below it', () => {
    const { answer } = search(documents, { filterableAttributes: ['dog'] }, { facets: ['dog'] });
    expect(answer.facetDistribution).toEqual({
      dog: {},
      'dog.age': { 3: 1 },
      'dog.name': { rex: 1, bo: 1 },
    });
    expect(answer.facetStats).toEqual({ 'dog.age': { min: 3, max: 3 } });
  });

  it('accepts a parent of a filterable field, which selects nothing', () => {
    const settings = { filterableAttributes: ['dog.name'] };
    const { answer } = search(documents, settings, { facets: ['dog'] });
    expect(answer.facetDistribution).toEqual({});
    const exact = { attributePatterns: ['dog'], features: ALL };
    const below = search(documents, { filterableAttributes: [exact] }, { facets: ['dog.name'] });
    expect(below.answer.facetDistribution).toEqual({});
  });

  it('counts coordinates in strings as numbers', () => {
    const points = [
      { id: 1, _geo: { lat: '5', lng: 7.5 } },
      { id: 2, _geo: { lat: 1, lng: '2' } },
    ];
    const { answer } = search(points, { filterableAttributes: ['_geo'] }, { facets: ['*'] });
    expect(answer.facetDistribution).toMatchObject({ '_geo.lat': { 1: 1, 5: 1 } });
    expect(answer.facetStats).toEqual({
      '_geo.lat': { min: 1, max: 5 },
      '_geo.lng': { min: 2, max: 7.5 },
    });
  });

  it('takes patterns', () => {
    const { answer } = search(
      documents,
      { filterableAttributes: ['dog.name', 'colour'] },
      { facets: ['*name', 'col*'] },
    );
    expect(Object.keys(answer.facetDistribution!)).toEqual(['colour', 'dog.name']);
  });

  it('takes the fields below a field that ends as the pattern', () => {
    const nested = [{ id: 1, bs: { k: { x: 1 } }, o: { bs: { y: 'a' }, z: 2 } }];
    const settings = { filterableAttributes: ['bs', 'o'] };
    const { answer } = search(nested, settings, { facets: ['*s'] });
    const found = ['bs', 'bs.k', 'bs.k.x', 'o.bs', 'o.bs.y'];
    expect(Object.keys(answer.facetDistribution!)).toEqual(found);
  });

  it('refuses a pattern that no filterable pattern meets as a text', () => {
    const facets = (facet: string, filterable: string) => () =>
      search(
        documents,
        { filterableAttributes: [{ attributePatterns: [filterable], features: ALL }] },
        { facets: [facet] },
      );
    for (const [facet, filterable] of [
      ['*name', 'dog'],
      ['dog*', '*name'],
      ['dog', '*name'],
    ] as const)
      expect(facets(facet, filterable)).toThrow(
        expect.objectContaining({ code: 'invalid_search_facets' }),
      );
    expect(facets('*name', '*.name')().answer.facetDistribution).toHaveProperty(['dog.name']);
  });

  it('decides by the first item that matches the facet as a text, or that meets it', () => {
    const rule = (attributePatterns: string[], equality: boolean) => ({
      attributePatterns,
      features: { facetSearch: true, filter: { equality, comparison: false } },
    });
    const facets = (facet: string, ...filterableAttributes: Settings['filterableAttributes']) =>
      Object.keys(
        search(documents, { filterableAttributes }, { facets: [facet] }).answer.facetDistribution!,
      );
    expect(facets('*', 'colour', rule(['*'], false))).toEqual(['colour']);
    expect(() => facets('*', rule(['*'], false), 'colour')).toThrow('rule 0');
    expect(() => facets('col*', rule(['*o*'], false), 'colour')).toThrow('rule 0');
    expect(facets('dog', rule(['dog.name'], true), rule(['*'], false))).toEqual([]);
    expect(() => facets('dog', rule(['dog'], false), 'dog.name')).toThrow('rule 0');
  });

  it.each([
    ['*', 'colour'],
    ['*', 'dog*'],
    ['col*', 'colour'],
  ])('takes the filterable name `%s` for no pattern, so that `%s` is refused', (name, facet) => {
    const facets = (asked: string) => () =>
      search(documents, { filterableAttributes: [name] }, { facets: [asked] });
    expect(facets(facet)).toThrow(expect.objectContaining({ code: 'invalid_search_facets' }));
    expect(facets(name)().answer.facetDistribution).toEqual({});
  });

  it('leaves out a filterable name that no document has, and keeps one that no candidate has', () => {
    const settings = { filterableAttributes: ['dog.age', 'ghost'] };
    const { answer } = search(documents, settings, { q: 'bo', facets: ['dog.age', 'ghost'] });
    expect(answer.facetDistribution).toEqual({ 'dog.age': {} });
    expect(answer.facetStats).toEqual({});
  });

  it('keeps the primary key of an index without documents', () => {
    const settings = { filterableAttributes: ['id', 'colour'] };
    const { answer } = search([], settings, { facets: ['*'] });
    expect(answer.facetDistribution).toEqual({ id: {} });
  });

  it('refuses what is not filterable, names what is, and masks what is hidden', () => {
    const settings = {
      filterableAttributes: ['colour', 'secret'],
      displayedAttributes: ['id', 'colour'],
    };
    const run = (): unknown => search(documents, settings, { facets: ['size', 'colour'] });
    expect(run).toThrow(expect.objectContaining({ code: 'invalid_search_facets' }));
    expect(run).toThrow(/`size`.*patterns are: `colour`, `<\.\.hidden-attributes>`/);
  });

  it.each([[['*']], [['co*']], [['colour']]])('refuses %j when nothing is filterable', (facets) => {
    expect(() => search(documents, {}, { facets })).toThrow(
      /does not have configured filterable attributes/,
    );
  });

  it('names the rule that matches and allows nothing; the first match decides', () => {
    const off = {
      attributePatterns: ['col*'],
      features: { facetSearch: false, filter: { equality: false, comparison: false } },
    };
    const settings = { filterableAttributes: [off, 'colour', 'dog'] };
    expect(() => search(documents, settings, { facets: ['colour'] })).toThrow(/rule 0 /);
    const { answer } = search(documents, settings, { facets: ['*'] });
    expect(answer.facetDistribution).not.toHaveProperty('colour');
  });

  it('refuses a distinct of the request that is not filterable, before the attributes of the filter and after its syntax, while the one of the settings need not be', () => {
    const settings = { filterableAttributes: ['dog'], distinctAttribute: 'colour' };
    expect(() => search(documents, settings, { distinct: 'colour' })).toThrow(
      expect.objectContaining({
        code: 'invalid_search_distinct',
        message: expect.stringContaining('`dog`'),
      }),
    );
    const filtered = (filter: string) => () =>
      search(documents, settings, { distinct: 'colour', filter: searchFilter(filter) });
    const withCode = (code: string) => expect.objectContaining({ code });
    expect(filtered('size > 3')).toThrow(withCode('invalid_search_distinct'));
    expect(filtered('size > 3 4')).toThrow(withCode('invalid_search_filter'));
    expect(search(documents, settings, { distinct: 'dog.name' }).answer.estimatedTotalHits).toBe(2);
    expect(search(documents, settings, {}).answer.estimatedTotalHits).toBe(2);
  });
});

describe('values of a facet', () => {
  it('keeps the order of keys that look like integers in the text of the answer', () => {
    const { text } = search(
      withF([2, 10, 'b', '7']),
      { filterableAttributes: ['f'] },
      { facets: ['f'] },
    );
    expect(text).toContain(
      '"facetDistribution":{"f":{"10":1,"2":1,"7":1,"b":1}},"facetStats":{"f":{"min":2,"max":10}}',
    );
  });

  it('puts numbers before strings in both orders, equal counts by decreasing value', () => {
    const documents = withF([10, 9, 'b', 'c', 'c']);
    expect(valuesOf(documents, faceting('count'))).toEqual([
      ['10', 1],
      ['9', 1],
      ['c', 2],
      ['b', 1],
    ]);
    expect(valuesOf(documents, faceting('alpha'))).toEqual([
      ['10', 1],
      ['9', 1],
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('lets the count of a string replace that of the number it looks like', () => {
    expect(valuesOf(withF([1, 1, '1', 'a']), {})).toEqual([
      ['1', 1],
      ['a', 1],
    ]);
  });

  it('counts spellings of one value together, accents apart, and shows the spelling of the lowest candidate', () => {
    const documents = withF(['Été', 'été', 'ete', ' ETE ', true]);
    expect(valuesOf(documents, {})).toEqual([
      ['ete', 2],
      ['Été', 2],
      ['true', 1],
    ]);
    const snapshot = buildSnapshot({ documents, settings: { filterableAttributes: ['f'] } });
    const candidates = DocSet.fromList(Uint32Array.of(1, 3), snapshot.bitsetLength);
    expect([...countFacets(snapshot, ['f'], candidates)[0]!.values]).toEqual([
      [' ETE ', 1],
      ['été', 1],
    ]);
  });

  it('shows the last spelling of a value within a document', () => {
    expect(valuesOf(withF([['Red', ['RED'], 'red']]), {})).toEqual([['red', 1]]);
  });

  it('follows an update that changes the case of a value', () => {
    const segments: PlacedDocument[][] = [
      [{ docId: 0, document: { id: 0, f: 'Red' }, isDead: true }],
      [{ docId: 0, document: { id: 0, f: 'RED' }, isDead: false }],
    ];
    const snapshot = buildPlacedSnapshot({ segments, settings: { filterableAttributes: ['f'] } });
    expect([...countFacets(snapshot, ['f'], snapshot.live)[0]!.values]).toEqual([['RED', 1]]);
  });

  it('stops at the limit, except that strings that meet a map full of numbers all come in count order', () => {
    const documents = withF([1, 2, 'a', 'b', 'c']);
    expect(valuesOf(documents, faceting('alpha', 2))).toEqual([
      ['1', 1],
      ['2', 1],
    ]);
    expect(valuesOf(documents, faceting('alpha', 3)).map(([v]) => v)).toEqual(['1', '2', 'a']);
    expect(valuesOf(documents, faceting('count', 3)).map(([v]) => v)).toEqual(['2', '1', 'c']);
    expect(valuesOf(documents, faceting('count', 2)).map(([v]) => v)).toEqual([
      '2',
      '1',
      'c',
      'b',
      'a',
    ]);
  });

  it('takes the order of a field before that of the star', () => {
    const sortFacetValuesBy = { '*': 'count', f: 'alpha' } as const;
    const settings = { faceting: { maxValuesPerFacet: 100, sortFacetValuesBy } };
    expect(valuesOf(withF(['b', 'b', 'a']), settings).map(([v]) => v)).toEqual(['a', 'b']);
  });

  it('takes the order of the search before that of the settings', () => {
    const documents = ['a', 'b', 'b'].map((f, id) => ({ id, f }));
    const settings = {
      filterableAttributes: ['f'],
      faceting: { maxValuesPerFacet: 1, sortFacetValuesBy: { '*': 'alpha' } },
    } as const;
    const first = (sortFacetValuesBy: 'alpha' | 'count' | null) =>
      search(documents, settings, { facets: ['f'], sortFacetValuesBy }).answer.facetDistribution;
    expect(first(null)).toEqual({ f: { a: 1 } });
    expect(first('count')).toEqual({ f: { b: 2 } });
  });

  it('sorts numbers by text up to 3000 candidates and by size beyond', () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? 10 : 9));
    expect(valuesOf(withF(numbers), {}).map(([v]) => v)).toEqual(['10', '9']);
    expect(valuesOf(withF([...numbers, 9]), {}).map(([v]) => v)).toEqual(['9', '10']);
  });

  it('counts all candidates whatever the page, and respects the text query', () => {
    const documents = Array.from({ length: 30 }, (_, id) => ({
      id,
      t: id < 25 ? 'apple' : 'pear',
      f: id % 2 === 0 ? 'even' : 'odd',
    }));
    for (const page of [{ limit: 1 }, { offset: 20 }, { page: 2, hitsPerPage: 3 }]) {
      const { answer } = search(
        documents,
        { filterableAttributes: ['f'] },
        { q: 'apple', facets: ['f'], ...page },
      );
      expect(answer.facetDistribution).toEqual({ f: { even: 13, odd: 12 } });
    }
  });

  it('writes numbers in full, without exponent', () => {
    expect([3, 0.5, 1e21, 1.5e-7, -2.5e22, 123456789.25].map(decimalText)).toEqual([
      '3',
      '0.5',
      '1000000000000000000000',
      '0.00000015',
      '-25000000000000000000000',
      '123456789.25',
    ]);
  });

  it('escapes names and values', () => {
    const text = mergedFacetMembers([
      {
        path: 'a"b',
        order: 'alpha',
        isOrderSet: true,
        values: new Map([['x\n"', 1]]),
        stats: null,
      },
    ]);
    expect(JSON.parse(`{${text}}`)).toEqual({
      facetDistribution: { 'a"b': { 'x\n"': 1 } },
      facetStats: {},
    });
  });
});

/** Values of `f` counted by hand, in the order of the answer. */
function countByHand(
  documents: ReadonlyMap<number, SourceDocument>,
  candidates: readonly number[],
  order: 'alpha' | 'count',
): [string, number][] {
  const numbers = new Map<number, number>();
  const strings = new Map<string, { text: string; count: number }>();
  for (const doc of candidates) {
    const raw = documents.get(doc)!['f'];
    const items = (Array.isArray(raw) ? raw : [raw]) as unknown[];
    const seen = new Set<unknown>();
    for (const item of items) {
      const key =
        typeof item === 'number'
          ? item
          : typeof item === 'string' && item !== ''
            ? normalizeValue(item)
            : null;
      if (key === null || seen.has(key)) continue;
      seen.add(key);
      if (typeof key === 'number') numbers.set(key, (numbers.get(key) ?? 0) + 1);
      else
        strings.set(key, {
          text: strings.get(key)?.text ?? (item as string),
          count: (strings.get(key)?.count ?? 0) + 1,
        });
    }
  }
  const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const isCount = order === 'count';
  const numberList = [...numbers].sort(([a, n], [b, m]) =>
    isCount ? m - n || b - a : byBytes(`${a}`, `${b}`),
  );
  const stringList = [...strings].sort(([a, x], [b, y]) =>
    isCount ? y.count - x.count || byBytes(b, a) : byBytes(a, b),
  );
  const all = new Map<string, number>(
    numberList.map(([value, count]) => [decimalText(value), count]),
  );
  for (const [, { text, count }] of stringList) all.set(text, count);
  return [...all];
}

describe('facets against counting by hand', () => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 12 }),
    fc.constantFrom('a', 'A', 'b', 'É', 'é', 'e', 'Zoë', 'zebra', '7', 'ß', '東京', '', ' c '),
  );
  const field = fc.oneof(value, fc.array(value, { maxLength: 4 }), fc.constant(null));
  const layout = fc.array(
    fc.record({
      first: field,
      second: fc.option(field),
      segment: fc.nat(3),
      isCandidate: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );

  it('is the same for any documents, segments, replacements and candidates', () => {
    fc.assert(
      fc.property(
        layout,
        fc.constantFrom('alpha' as const, 'count' as const),
        fc.boolean(),
        (rows, order, isMany) => {
          const segments: PlacedDocument[][] = [[], [], [], [], []];
          const copies = isMany ? 40 : 1;
          const living = new Map<number, SourceDocument>();
          const candidates: number[] = [];
          for (let copy = 0; copy < copies; copy++) {
            rows.forEach(({ first, second, segment, isCandidate }, i) => {
              const docId = copy * rows.length + i;
              const document = { id: docId, f: second ?? first };
              segments[segment]!.push({
                docId,
                document: { id: docId, f: first },
                isDead: second !== null,
              });
              if (second !== null) segments[4]!.push({ docId, document, isDead: false });
              living.set(docId, document);
              if (isCandidate) candidates.push(docId);
            });
          }
          const snapshot = buildPlacedSnapshot({
            segments: segments.filter((s) => s.length > 0),
            settings: { ...faceting(order, 1000), filterableAttributes: ['f'] },
          });
          const set = DocSet.fromList(Uint32Array.from(candidates), snapshot.bitsetLength);
          const [facet] = countFacets(snapshot, ['f'], set);
          expect([...(facet?.values ?? [])]).toEqual(countByHand(living, candidates, order));
        },
      ),
      { numRuns: amount(6, 240) },
    );
  });

  it('is the same for thousands of values in several segments, which are counted by postings or in one pass', () => {
    const documents = Array.from({ length: 5200 }, (_, id) => ({
      id,
      f: [`Value ${(id * 7919) % 3000}`, `other ${id % 5}`],
    }));
    const living = new Map<number, SourceDocument>(
      documents.map((document) => [document.id, document]),
    );
    for (const segmentCount of [1, 3]) {
      for (const order of ['alpha', 'count'] as const) {
        const settings = {
          ...DEFAULT_SETTINGS,
          ...faceting(order, 40),
          filterableAttributes: ['f'],
        };
        const snapshot = buildSnapshot({ documents, settings, segmentCount });
        for (const share of [1, 2, 9]) {
          const candidates = documents.map(({ id }) => id).filter((id) => id % share === 0);
          const set = DocSet.fromList(Uint32Array.from(candidates), snapshot.bitsetLength);
          const expected = countByHand(living, candidates, order);
          const found = [...countFacets(snapshot, ['f'], set)[0]!.values];
          if (order === 'alpha' || candidates.length > 5000)
            expect(found).toEqual(expected.slice(0, 40));
          expect(found.map(([, count]) => count)).toEqual(
            expected.slice(0, 40).map(([, count]) => count),
          );
          expect(expected).toEqual(expect.arrayContaining(found));
        }
      }
    }
  });
});
