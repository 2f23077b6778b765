/**
 * Hits as clients see them: `_formatted`, `_matchesPosition`, `_geoDistance`, and the order of
 * members (relevance.md 6).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import type { Settings } from '../../../../src/model/settings.ts';
import { HitWriter } from '../../../../src/search/answer/format-hits.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import type { SourceDocument } from '../../../support/build-snapshot.ts';
import { amount } from '../../../support/run-length.ts';
import { indexDocuments, search } from '../../../support/search.ts';
import type { Asked } from '../../../support/search-request.ts';

/** The only hit of a search in an index of one document. */
function hitOf(
  document: SourceDocument,
  asked: Asked,
  settings?: Partial<Settings>,
): Record<string, unknown> {
  const [hit] = search(indexDocuments([{ id: 1, ...document }], settings), asked).hits;
  return hit as Record<string, unknown>;
}

const formatted = (document: SourceDocument, asked: Asked, settings?: Partial<Settings>): unknown =>
  hitOf(document, asked, settings)['_formatted'];

const positions = (document: SourceDocument, q: string, settings?: Partial<Settings>): unknown =>
  hitOf(document, { q, showMatchesPosition: true }, settings)['_matchesPosition'];

const ALL = { attributesToHighlight: ['*'] };

describe('the members of a hit', () => {
  it('come in the order of the contract', () => {
    const asked = {
      q: 'cat',
      ...ALL,
      showMatchesPosition: true,
      showRankingScore: true,
      showRankingScoreDetails: true,
    };
    expect(Object.keys(hitOf({ title: 'cat' }, asked))).toEqual([
      'id',
      'title',
      '_formatted',
      '_matchesPosition',
      '_rankingScore',
      '_rankingScoreDetails',
    ]);
  });

  it('leave no trace of a nested field that no document has', () => {
    const document = { o: { x: 1, none: null }, list: [{ x: 1 }] };
    const index = indexDocuments([
      { id: 1, ...document },
      { id: 2, o: { y: 1 } },
    ]);
    const hits = (names: string[]): unknown =>
      search(index, { attributesToRetrieve: names, attributesToHighlight: names }).hits;
    expect(hits(['o.*', 'o.', 'o.q', 'o.x.z', 'list.y', 'id.a'])).toEqual([{}, {}]);
    expect(hits(['o.x'])).toEqual([
      { o: { x: 1 }, _formatted: { o: { x: '1' } } },
      { o: {}, _formatted: { o: {} } },
    ]);
    expect(hits(['o.none'])).toEqual([{ o: { none: null } }, {}]);
  });

  it('keep the object above a field that is neither searched nor in a column', () => {
    const index = indexDocuments([{ id: 1, o: { x: 1 } }], { searchableAttributes: ['id'] });
    const hitWith = (name: string): unknown =>
      search(index, { attributesToRetrieve: [name] }).hits[0];
    expect(hitWith('o.x')).toEqual({ o: { x: 1 } });
    expect(hitWith('o.y')).toEqual({ o: {} });
    expect(hitWith('o.*')).toEqual({});
  });

  it('have those of a federation directly after the document', () => {
    const snapshot = indexDocuments([{ id: 1, title: 'cat', _geo: { lat: 1, lng: 2 } }]);
    const request = {
      ...DEFAULT_SEARCH_REQUEST,
      ...ALL,
      attributesToRetrieve: ['title'],
      q: 'cat',
    };
    const { documents, query } = executeSearch(snapshot, request, Deadline.never());
    const out = new ByteBuffer();
    for (const hit of documents)
      new HitWriter(snapshot, request, query).write(hit, out, '"_federation":{"a":1}');
    expect(Object.keys(JSON.parse(new TextDecoder().decode(out.copy())))).toEqual([
      'title',
      '_federation',
      '_formatted',
    ]);
  });

  it('include vectors when asked for, whatever else is retrieved, also when the document has none', () => {
    const settings = { displayedAttributes: ['id'] };
    const asked = { q: 'cat', retrieveVectors: true };
    const _vectors = { e: [1, 2] };
    expect(hitOf({ title: 'cat' }, asked)).toEqual({ id: 1, title: 'cat', _vectors: {} });
    expect(hitOf({ title: 'cat', _vectors }, asked)).toEqual({ id: 1, title: 'cat', _vectors });
    expect(hitOf({ title: 'cat', _vectors }, asked, settings)).toEqual({ id: 1, _vectors });
    expect(hitOf({ title: 'cat' }, asked, settings)).toEqual({ id: 1, _vectors: {} });
    expect(
      hitOf({ title: 'cat', _vectors }, { ...asked, attributesToRetrieve: ['_vectors', 'id'] }),
    ).toEqual({
      id: 1,
      _vectors,
    });
    expect(hitOf({ title: 'cat', _vectors }, { q: 'cat' })).toEqual({ id: 1, title: 'cat' });
    const attributesToRetrieve = ['id', '_vectors.e'];
    const cat = { title: 'cat', _vectors };
    expect(hitOf(cat, { ...asked, attributesToRetrieve })).toEqual({ id: 1, _vectors });
    expect(hitOf(cat, { q: 'cat', attributesToRetrieve })).toEqual({ id: 1 });
  });

  it('are only those asked for', () => {
    expect(hitOf({ title: 'cat' }, { q: 'cat' })).toEqual({ id: 1, title: 'cat' });
  });
});

describe('_formatted', () => {
  it('marks and carries over, with numbers as strings', () => {
    const document = {
      title: 'Cats & dogs',
      price: 1.5,
      rank: 3,
      ok: true,
      none: null,
      list: [1, 'cat', false],
    };
    expect(formatted(document, { q: 'cat', attributesToHighlight: ['title'] })).toEqual({
      id: '1',
      title: '<em>Cat</em>s & dogs',
      price: '1.5',
      rank: '3',
      ok: true,
      none: null,
      list: ['1', 'cat', false],
    });
  });

  it('leaves vectors of embedders out, and shows what is plain data without any', () => {
    const document = { title: 'cat', _vectors: { e: [1, 2] } };
    const embedders = { e: { source: 'userProvided', dimensions: 2 } } as const;
    const title = '<em>cat</em>';
    expect(formatted(document, { q: 'cat', ...ALL }, { embedders })).toEqual({ id: '1', title });
    expect(formatted(document, { q: 'cat', ...ALL })).toHaveProperty('_vectors');
  });

  it('marks numbers as text', () => {
    expect(formatted({ year: 1999 }, { q: '19', ...ALL })).toEqual({
      id: '1',
      year: '<em>19</em>99',
    });
  });

  it('renders numeric children as strings and keeps siblings that are retrieved', () => {
    const document = { dog: { age: 4, name: 'Rex' } };
    expect(formatted(document, { q: '4', attributesToHighlight: ['dog.age'] })).toEqual({
      id: '1',
      dog: { age: '<em>4</em>', name: 'Rex' },
    });
  });

  it('holds only the highlighted fields when nothing is retrieved', () => {
    const asked = { q: 'cat', attributesToRetrieve: [], attributesToHighlight: ['title'] };
    expect(hitOf({ title: 'cat', other: 'cat' }, asked)).toEqual({
      _formatted: { title: '<em>cat</em>' },
    });
  });

  it('holds retrieved and formatted fields', () => {
    const asked = { q: 'cat', attributesToRetrieve: ['id'], attributesToCrop: ['body:1'] };
    expect(hitOf({ title: 'x', body: 'a cat b' }, asked)).toEqual({
      id: 1,
      _formatted: { id: '1', body: '…cat…' },
    });
  });

  it('is absent when no displayed attribute is formatted, unknown names being ignored', () => {
    const hidden = { displayedAttributes: ['id', 'body'] };
    const asked = {
      q: 'cat',
      attributesToHighlight: ['title', 'nope', 'titl*'],
      attributesToCrop: ['title:2'],
    };
    expect(hitOf({ title: 'cat', body: 'x' }, asked, hidden)).toEqual({ id: 1, body: 'x' });
    expect(
      formatted({ title: 'cat' }, { q: 'cat', attributesToHighlight: ['nope', 'titl*'] }),
    ).toBeUndefined();
    expect(
      formatted({ title: 'cat' }, { q: 'cat', ...ALL }, { displayedAttributes: [] }),
    ).toBeUndefined();
  });

  it('is absent from a hit of which nothing is left', () => {
    const asked = { q: 'cat', attributesToRetrieve: [], attributesToHighlight: ['body'] };
    const [first, second] = search(
      indexDocuments([
        { id: 1, title: 'cat' },
        { id: 2, title: 'cat', body: 'x' },
      ]),
      asked,
    ).hits;
    expect([first, second]).toEqual([{}, { _formatted: { body: 'x' } }]);
  });

  it('compares displayed attributes by exact path', () => {
    const document = { a: { b: 'cat', c: 'cat' } };
    const displayed = { displayedAttributes: ['a'] };
    expect(
      formatted(document, { q: 'cat', attributesToHighlight: ['a.b'] }, displayed),
    ).toBeUndefined();
    expect(formatted(document, { q: 'cat', attributesToHighlight: ['a'] }, displayed)).toEqual({
      a: { b: '<em>cat</em>', c: '<em>cat</em>' },
    });
    expect(formatted(document, { q: 'cat', ...ALL }, { displayedAttributes: ['a.c'] })).toEqual({
      a: { c: '<em>cat</em>' },
    });
  });

  it('drops what a child selector leaves empty in arrays, and keeps containers', () => {
    const document = {
      arr: [{ x: 1 }, { y: 1 }, null, [], 5],
      o: { y: 1 },
      s: 5,
      deep: [[{ y: 1 }], [{ x: 'c' }]],
    };
    const asked = {
      q: 'c',
      attributesToRetrieve: [],
      attributesToHighlight: ['arr.x', 'o.x', 's.x', 'deep.x'],
    };
    const index = indexDocuments([
      { id: 1, ...document },
      { id: 2, o: { x: 1 } },
    ]);
    const [hit] = search(index, asked).hits as { readonly _formatted: unknown }[];
    expect(hit?._formatted).toEqual({
      arr: [{ x: '1' }, []],
      o: {},
      deep: [[], [{ x: '<em>c</em>' }]],
    });
  });

  it('merges rules of parents and children', () => {
    const document = { dog: { name: 'a b c rex d e f', age: 'rex' } };
    const asked = { q: 'rex', attributesToHighlight: ['dog'], attributesToCrop: ['dog.name:1'] };
    expect(formatted(document, asked)).toMatchObject({
      dog: { name: '…<em>rex</em>…', age: '<em>rex</em>' },
    });
  });

  it('uses the tags and the marker asked for, also empty ones and ones that need escapes', () => {
    const document = { t: 'a "quoted" cat\n on the wall' };
    const tags = { highlightPreTag: '<b class="x">', highlightPostTag: '\\', cropMarker: '"' };
    const asked = { q: 'cat', attributesToHighlight: ['t'], attributesToCrop: ['t:2'] };
    expect(formatted(document, { ...asked, ...tags })).toMatchObject({
      t: '"quoted" <b class="x">cat\\"',
    });
    const none = { highlightPreTag: '', highlightPostTag: '', cropMarker: '' };
    expect(formatted(document, { ...asked, ...none })).toMatchObject({ t: 'quoted" cat' });
  });

  it('crops to the text around matches and clips phrases', () => {
    const t = 'zero one two three four five six seven eight nine ten eleven twelve';
    const asked = {
      q: '"three four five six seven"',
      attributesToHighlight: ['t'],
      attributesToCrop: ['t'],
    };
    const cropped = (cropLength: number): unknown => formatted({ t }, { ...asked, cropLength });
    expect(cropped(1)).toMatchObject({ t: 'zero one two <em>three</em>…' });
    expect(cropped(2)).toMatchObject({ t: 'zero one two <em>three four</em>…' });
    expect(cropped(5)).toMatchObject({ t: '…<em>three four five six seven</em>…' });
    expect(cropped(0)).toMatchObject({
      t: 'zero one two <em>three four five six seven</em> eight nine ten eleven twelve',
    });
  });

  it('crops in a placeholder search', () => {
    expect(formatted({ t: '(one two three' }, { attributesToCrop: ['t:2'] })).toEqual({
      id: '1',
      t: '(one two…',
    });
  });

  it('marks multi-byte text and each token of Chinese text', () => {
    expect(formatted({ t: '😀 Gröse 東京と東京' }, { q: 'gros', ...ALL })).toMatchObject({
      t: '😀 <em>Grös</em>e 東京と東京',
    });
    const { t } = formatted({ t: '東京と東京' }, { q: '東京', ...ALL }) as { t: string };
    expect(t.replaceAll('</em><em>', '')).toBe('<em>東京</em>と<em>東京</em>');
  });

  it('keeps every digit of large integers and the spelling of floats', () => {
    const big = '{"id":1,"n":12345678901234567890,"f":1.0,"e":1e3,"m":-7}';
    const document = { id: 1, n: '§', f: 0, e: 0, m: 0 };
    const snapshot = indexDocuments([document]);
    const [segment] = snapshot.segments;
    if (!segment) throw new Error('no segment');
    const exact = { ...snapshot, segments: [withJson(segment, big)] };
    const [hit] = search(exact, { ...ALL }).hits;
    expect(hit?.['_formatted']).toEqual({
      id: '1',
      n: '12345678901234567890',
      f: '1.0',
      e: '1000.0',
      m: '-7',
    });
  });

  it('has its members in the order in which the index met them', () => {
    const snapshot = indexDocuments([
      { id: 1, a: 'x', b: 'x' },
      { id: 2, c: 'cat', b: 'x', a: 'x' },
    ]);
    const [hit] = search(snapshot, { q: 'cat', ...ALL }).hits;
    expect(Object.keys(hit?.['_formatted'] as object)).toEqual(['id', 'a', 'b', 'c']);
  });

  it('shows vectors that are stored as a field, as it shows any field', () => {
    const document = { t: 'cat', _vectors: { e: [1, 2] } };
    expect(formatted(document, { q: 'cat', ...ALL })).toEqual({
      id: '1',
      t: '<em>cat</em>',
      _vectors: { e: ['1', '2'] },
    });
  });

  it('gives back the text when tags are taken out again', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('cat', 'dog', ' ', '"', '\\', ', ', 'é', '東京', '😀'),
        fc.string({ unit: 'grapheme', maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(texts, (t) => {
        const tags = { highlightPreTag: '\ue000', highlightPostTag: '\ue001' };
        const result = formatted({ t, key: 'cat' }, { q: 'ca', ...ALL, ...tags }) as { t: string };
        expect(result.t.replaceAll(/[\ue000\ue001]/g, '')).toBe(
          t.replaceAll(/[\ue000\ue001]/g, ''),
        );
      }),
      { numRuns: amount(15, 400) },
    );
  });
});

/** The segment with another stored text for its documents. */
function withJson<T extends object>(segment: T, json: string): T {
  const bytes = new TextEncoder().encode(json);
  return new Proxy(segment, {
    get: (target, name) => {
      if (name === 'readDocument') return () => bytes;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('_matchesPosition', () => {
  it('counts bytes of the original value', () => {
    expect(positions({ t: 'é😀 Café' }, 'caf')).toEqual({ t: [{ start: 7, length: 3 }] });
    expect(positions({ t: 'Westfália ok' }, 'westfali')).toEqual({ t: [{ start: 0, length: 9 }] });
  });

  it('names arrays on the way, outermost first, and none outside arrays', () => {
    const document = { o: { t: 'cat' }, list: ['x', 'cat'], deep: [['y'], ['z', { n: 'a cat' }]] };
    expect(positions(document, 'cat')).toEqual({
      'o.t': [{ start: 0, length: 3 }],
      list: [{ start: 0, length: 3, indices: [1] }],
      'deep.n': [{ start: 2, length: 3, indices: [1, 1] }],
    });
  });

  it('shows the last of several values of a path that match', () => {
    expect(positions({ list: ['cat', 'a cat, cat', 'x'] }, 'cat ')).toEqual({
      list: [
        { start: 2, length: 3, indices: [1] },
        { start: 7, length: 3, indices: [1] },
      ],
    });
  });

  it('covers displayed fields whatever is retrieved, numbers and places too, but no booleans', () => {
    const document = { t: 'true 4', yes: true, n: 4, _geo: { lat: 4.5, lng: 1 } };
    const asked = { showMatchesPosition: true, attributesToRetrieve: ['id'] };
    expect(hitOf(document, { q: '4', ...asked })).toEqual({
      id: 1,
      _matchesPosition: {
        t: [{ start: 5, length: 1 }],
        n: [{ start: 0, length: 1 }],
        '_geo.lat': [{ start: 0, length: 1 }],
      },
    });
    expect(positions(document, 'true', { displayedAttributes: ['id', 'yes'] })).toEqual({});
    expect(positions({ t: 'x' }, '')).toEqual({});
  });

  it('points at the text that highlighting marks', () => {
    const words = fc.constantFrom('cat', 'Cats', 'dog', 'é', '東京', '😀', 'cát', '-', ', ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const t = parts.join(' ');
        const hit = hitOf({ t, key: 'cat' }, { q: 'cat', ...ALL, showMatchesPosition: true });
        const bytes = new TextEncoder().encode(t);
        const found =
          (hit['_matchesPosition'] as Record<string, { start: number; length: number }[]>)['t'] ??
          [];
        const shown = found.map(({ start, length }) =>
          new TextDecoder().decode(bytes.subarray(start, start + length)),
        );
        const { t: text } = hit['_formatted'] as { t: string };
        expect(shown).toEqual([...text.matchAll(/<em>(.*?)<\/em>/gu)].map(([, inner]) => inner));
      }),
      { numRuns: amount(15, 400) },
    );
  });
});

describe('_geoDistance', () => {
  const sort = ['title:asc', '_geoPoint(48.85, 2.35):asc', '_geoPoint(0, 0):asc'];
  const settings = { sortableAttributes: ['_geo', 'title'] };
  const distanceOf = (document: SourceDocument, asked: Asked = {}): unknown =>
    hitOf(document, { sort, ...asked }, settings)['_geoDistance'];

  it('is the distance to the first point in whole metres', () => {
    expect(distanceOf({ _geo: { lat: 45.46, lng: 9.19 } })).toBe(639_586);
    expect(distanceOf({ _geo: { lat: 48.85, lng: 2.35 } })).toBe(0);
  });

  it('reads numbers that are spelled as strings', () => {
    expect(distanceOf({ _geo: { lat: '45.46', lng: '9.19' } })).toBe(
      distanceOf({ _geo: { lat: 45.46, lng: 9.19 } }),
    );
  });

  it('is absent without a place, without a sort by place, and when the place is not returned', () => {
    const document = { _geo: { lat: 45.46, lng: 9.19 }, title: 'x' };
    expect(distanceOf({ title: 'x' })).toBeUndefined();
    expect(distanceOf(document, { sort: ['title:asc'] })).toBeUndefined();
    expect(distanceOf(document, { attributesToRetrieve: ['title'] })).toBeUndefined();
  });

  it('belongs to the document', () => {
    const hit = hitOf({ _geo: { lat: 45.46, lng: 9.19 }, title: 'x' }, { sort, ...ALL }, settings);
    expect(Object.keys(hit)).toEqual(['id', '_geo', 'title', '_geoDistance', '_formatted']);
  });
});
