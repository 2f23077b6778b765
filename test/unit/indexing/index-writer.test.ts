/**
 * Batches against a naive model of an index, and the rules of ids, keys, failures, settings and
 * merges one by one.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DocumentOperation } from '../../../src/indexing/batch/document-operations.ts';
import { amount } from '../../support/run-length.ts';
import { TestIndex } from './support.ts';

const utf8 = new TextEncoder();
const ids = (index: TestIndex): string[] =>
  index.documents().map(({ docId, id }) => `${docId}:${id}`);
const json = (index: TestIndex): string[] => index.documents().map((document) => document.json);
const codes = (change: {
  results: readonly { error: { code: string } | null }[];
}): (string | null)[] => change.results.map(({ error }) => error?.code ?? null);

describe('documents of a batch', () => {
  it('are stored as sent and numbered from the lowest free number in order', async () => {
    const index = new TestIndex();
    const change = await index.apply(
      index.upsert('[{"id": "b", "n": 1.0}, {"id": 7 ,"n":12345678901234567890}]'),
    );
    expect(index.documents()).toEqual([
      { docId: 0, id: 'b', json: '{"id":"b","n":1.0}' },
      { docId: 1, id: '7', json: '{"id":7,"n":12345678901234567890}' },
    ]);
    expect(change.primaryKey).toBe('id');
    expect(change.results).toEqual([
      { taskUid: 0, error: null, indexedDocuments: 2, deletedDocuments: 0 },
    ]);
    await index.apply(index.deleteIds('b'), index.upsert([{ id: 'c' }]));
    expect(ids(index)).toEqual(['1:7', '2:c']);
    await index.apply(index.upsert([{ id: 'd' }, { id: 'e' }]));
    expect(ids(index)).toEqual(['0:d', '1:7', '2:c', '3:e']);
  });

  it('keep their number when they are replaced, updated, or deleted and added again in one batch', async () => {
    const index = new TestIndex();
    await index.apply(
      index.upsert([
        { id: 1, a: 1 },
        { id: 2, a: 1 },
        { id: 3, a: 1 },
      ]),
    );
    await index.apply(
      index.upsert([{ id: 3, b: 2 }]),
      index.upsert([{ id: 2, b: 2 }], { method: 'update' }),
      index.deleteIds('1'),
      index.upsert([{ id: 1, c: 3 }], { method: 'update' }),
    );
    expect(ids(index)).toEqual(['0:1', '1:2', '2:3']);
    expect(json(index)).toEqual(['{"id":1,"c":3}', '{"id":2,"a":1,"b":2}', '{"id":3,"b":2}']);
  });

  it('count once when their id comes twice: the last replaces, updates merge in order, 1 and "1" are one id', async () => {
    const index = new TestIndex();
    const replaced = await index.apply(
      index.upsert([
        { id: 1, a: 1 },
        { id: '1', b: 2 },
      ]),
    );
    expect(replaced.results[0]?.indexedDocuments).toBe(1);
    expect(json(index)).toEqual(['{"id":"1","b":2}']);
    await index.apply(
      index.upsert(
        [
          { id: 1, c: 1 },
          { id: 1, c: 2, d: 3 },
        ],
        { method: 'update' },
      ),
    );
    expect(json(index)).toEqual(['{"id":1,"b":2,"c":2,"d":3}']);
  });

  it('are left out by skipCreation unless they exist, but counted', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }]));
    const change = await index.apply(
      index.upsert([{ id: 1, a: 1 }, { id: 2 }], { method: 'update', skipCreation: true }),
    );
    expect(change.results[0]?.indexedDocuments).toBe(2);
    expect(json(index)).toEqual(['{"id":1,"a":1}']);
    await index.apply(index.deleteIds('1'), index.upsert([{ id: 1 }], { skipCreation: true }));
    expect(json(index)).toEqual([]);
  });

  it('disappear by ids and all at once, with the counts that tasks show', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }, { id: 2 }, { id: 3 }]));
    const some = await index.apply(index.deleteIds('1', '1', 'unknown', 'no id!'));
    expect(some.results[0]?.deletedDocuments).toBe(1);
    const mixed = await index.apply(index.deleteIds('2', 'unknown'), index.upsert([{ id: 4 }]));
    expect(mixed.results[0]?.deletedDocuments).toBe(2);
    const all = await index.apply(index.deleteAll());
    expect(all.results[0]?.deletedDocuments).toBe(2);
    expect(all.segments).toEqual([]);
    expect(all.primaryKey).toBe('id');
    await index.apply(index.upsert([{ id: 9 }]));
    expect(ids(index)).toEqual(['0:9']);
  });

  it('do not take numbers that were in use when the batch began, even after a clear in the same batch', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }, { id: 2 }]));
    await index.apply(index.deleteAll(), index.upsert([{ id: 3 }, { id: 2 }]));
    expect(ids(index)).toEqual(['1:2', '2:3']);
    await index.apply(index.upsert([{ id: 4 }]));
    expect(ids(index)).toEqual(['0:4', '1:2', '2:3']);
  });

  it('equal a naive model after any history, on one thread and on several, with merges in between', async () => {
    const id = fc.integer({ min: 0, max: 12 });
    const document = fc.record(
      { id, a: fc.integer({ max: 9, min: 0 }), b: fc.string({ maxLength: 3 }) },
      { requiredKeys: ['id'] },
    );
    const operation = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('upsert' as const),
          method: fc.constantFrom('replace' as const, 'update' as const),
          skipCreation: fc.boolean(),
          documents: fc.array(document, { maxLength: 6 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('deleteIds' as const),
          ids: fc.array(id.map(String), { maxLength: 5 }),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'deleteAll' as const }) },
    );
    const history = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom(1, 2),
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        async (batches, threads, choices) => {
          const index = new TestIndex({ threads });
          const model = new NaiveIndex();
          for (const [step, batch] of batches.entries()) {
            const operations = batch.map((one): DocumentOperation => {
              if (one.kind === 'upsert')
                return spooled(
                  index,
                  index.upsert(one.documents, { ...one, primaryKey: 'id' }),
                  threads,
                );
              return one.kind === 'deleteIds' ? index.deleteIds(...one.ids) : index.deleteAll();
            });
            model.apply(batch);
            await index.apply(...operations);
            expect(
              index.documents().map(({ docId, json: stored }) => [docId, JSON.parse(stored)]),
            ).toEqual(model.documents());
            const chosen = index.manifest.segments
              .filter((_, i) => (((choices[step] ?? 0) >> i) & 1) === 1)
              .map(({ id: name }) => name);
            if (chosen.length > 0) await index.merge(chosen);
            expect(
              index.documents().map(({ docId, json: stored }) => [docId, JSON.parse(stored)]),
            ).toEqual(model.documents());
          }
        },
      ),
      { numRuns: amount(12, 600) },
    );
  });
});

describe('a segment built in two halves', () => {
  const lines = Array.from({ length: 5000 }, (_, i) =>
    JSON.stringify({
      id: i,
      title: `Film ${i} of the Été`,
      year: 1900 + (i % 90),
      genre: ['Drama', `g${i % 7}`],
      text: 'word '.repeat(i % 60),
    }),
  );
  const digests = ({ directory }: TestIndex): string[] =>
    directory
      .list()
      .map((name) =>
        createHash('sha256')
          .update(directory.open(name).bytes)
          .digest('hex')
          .concat(name.slice(-4)),
      );

  it('has the same bytes as one built in one go', async () => {
    const settings = { filterableAttributes: ['genre', 'year'] };
    const whole = new TestIndex({ settings });
    await whole.apply(
      whole.upsert(lines.join('\n'), { payloadBytes: 1, format: 'ndjson', primaryKey: 'id' }),
    );
    const halves = new TestIndex({ settings });
    const payload = halves.spool('/spool/films', lines.join('\n'));
    const change = await halves.apply(
      halves.upsert('', {
        payload,
        payloadBytes: 2e6,
        format: 'ndjson',
        primaryKey: 'id',
      }),
    );
    expect(halves.directory.list()).toHaveLength(2);
    expect(change.segments).toMatchObject([
      {
        documentCount: 5000,
        deadCount: 0,
        files: [{ component: 'documents' }, { covers: ['genre', 'year'] }],
      },
    ]);
    expect(digests(halves)).toEqual(digests(whole));
  });

  it('is not tried for documents laid over stored ones', async () => {
    const index = new TestIndex();
    const update = {
      payloadBytes: 2e6,
      format: 'ndjson',
      primaryKey: 'id',
      method: 'update',
    } as const;
    const titles = index.spool('/spool/titles', lines.join('\n'));
    await index.apply(index.upsert('', { ...update, payload: titles }));
    const names = index.spool('/spool/names', lines.join('\n').replaceAll('"title"', '"name"'));
    await index.apply(index.upsert('', { ...update, payload: names }));
    expect(index.documents()).toHaveLength(5000);
    expect(JSON.parse(index.documents()[4999]?.json ?? '')).toMatchObject({
      title: 'Film 4999 of the Été',
      name: 'Film 4999 of the Été',
    });
  });
});

/**
 * With several threads the payload is a file with a large stated size, so that the batch is split.
 */
function spooled(
  index: TestIndex,
  operation: DocumentOperation,
  threads: number,
): DocumentOperation {
  if (threads === 1 || operation.kind !== 'upsert' || !(operation.payload instanceof Uint8Array))
    return operation;
  const payload = index.spool(`/spool/${operation.taskUid}`, operation.payload);
  return { ...operation, payload, payloadBytes: 3 * 1024 ** 2 };
}

interface ModelDocument {
  readonly id: number;
}
type ModelOperation =
  | {
      kind: 'upsert';
      method: 'replace' | 'update';
      skipCreation: boolean;
      documents: ModelDocument[];
    }
  | { kind: 'deleteIds'; ids: string[] }
  | { kind: 'deleteAll' };

/** The rules of a batch in the plainest form. */
class NaiveIndex {
  readonly #live = new Map<number, { docId: number; document: ModelDocument }>();

  apply(batch: readonly ModelOperation[]): void {
    const before = new Map([...this.#live].map(([id, { docId }]) => [id, docId]));
    const used = new Set(before.values());
    const order: number[] = [];
    for (const operation of batch) {
      if (operation.kind === 'deleteAll') this.#live.clear();
      else if (operation.kind === 'deleteIds') {
        for (const id of operation.ids) {
          order.push(Number(id));
          this.#live.delete(Number(id));
        }
      } else {
        for (const document of operation.documents) this.#upsert(document, operation, order);
      }
    }
    let next = 0;
    for (const id of new Set(order)) {
      const entry = this.#live.get(id);
      if (entry === undefined || entry.docId >= 0) continue;
      const kept = before.get(id);
      if (kept === undefined) while (used.has(next)) next += 1;
      entry.docId = kept ?? next++;
    }
  }

  #upsert(
    document: ModelDocument,
    { method, skipCreation }: { method: string; skipCreation: boolean },
    order: number[],
  ): void {
    order.push(document.id);
    const old = this.#live.get(document.id);
    if (old === undefined && skipCreation) return;
    const merged = method === 'update' ? { ...old?.document, ...document } : document;
    this.#live.set(document.id, { docId: old?.docId ?? -1, document: merged });
  }

  documents(): unknown[] {
    return [...this.#live.values()]
      .sort((a, b) => a.docId - b.docId)
      .map(({ docId, document }) => [docId, document]);
  }
}

describe('failures', () => {
  it('of one payload name document and reason, change nothing of it, and leave the other tasks alone', async () => {
    const index = new TestIndex();
    const change = await index.apply(
      index.upsert([{ id: 1 }]),
      index.upsert([{ id: 2 }, { name: 'x'.repeat(5000) }]),
      index.upsert([{ id: 3 }, { id: 'not an id' }]),
      index.upsert('[{"id":4},{"id":'),
      index.upsert([{ id: 5 }]),
    );
    expect(codes(change)).toEqual([
      null,
      'missing_document_id',
      'invalid_document_id',
      'malformed_payload',
      null,
    ]);
    expect(change.results[1]?.error?.message).toMatch(
      /^Document 2 of the payload has no value for the primary key `id`: `\{"name":"xxx/,
    );
    expect(change.results[1]?.error?.message.length).toBeLessThan(400);
    expect(change.results[2]?.error?.message).toMatch(
      /^Document 2 of the payload has the id `"not an id"` in `id`/,
    );
    expect(change.results[3]?.error?.message).toMatch(
      /document 2: .* \(line 1, column 17, byte 16\)/,
    );
    expect(ids(index)).toEqual(['0:1', '1:5']);
  });

  it('of a payload whose file is damaged are its own, and name the file', async () => {
    const sound = utf8.encode('[{"id":7}]');
    const damages = [
      [
        sound.map((byte) => (byte === 0x37 ? 0x38 : byte)),
        /byte 0: expected checksum [0-9a-f]{8} /,
      ],
      [sound.subarray(0, 4), /byte 4: expected 10 bytes in all, found 4$/],
      [new Uint8Array(0), /byte 0: expected 10 bytes in all, found 0$/],
    ] as const;
    for (const [bytes, message] of damages) {
      for (const threads of [1, 2]) {
        const index = new TestIndex({ threads });
        const payload = index.spool('/spool/a.payload', sound);
        index.spool('/spool/a.payload', bytes);
        const change = await index.apply(
          index.upsert('', { payload, payloadBytes: 2e6 }),
          index.upsert([{ id: 1 }]),
        );
        expect(codes(change)).toEqual(['invalid_store_file', null]);
        expect(change.results[0]?.error?.message).toMatch(message);
        expect(change.results[0]?.error?.message).toContain('/spool/a.payload is damaged');
        expect(ids(index)).toEqual(['0:1']);
      }
    }
  });

  it('of a payload whose file is gone are its own', async () => {
    for (const threads of [1, 2]) {
      const index = new TestIndex({ threads });
      const payload = { path: '/spool/gone', bytes: 1, crc32c: 0 };
      const change = await index.apply(
        index.upsert('', { payload, payloadBytes: 2e6 }),
        index.upsert([{ id: 1 }]),
      );
      expect(codes(change)).toEqual(['internal', null]);
      expect(change.results[0]?.error?.message).toMatch(/task 0 is not in the spool folder/);
      expect(ids(index)).toEqual(['0:1']);
    }
  });

  it('come with ids that are too long, empty, floats, objects, or outside 64 bits', async () => {
    const good = [
      '"a-Z_0"',
      `"${'x'.repeat(511)}"`,
      '-5',
      '18446744073709551615',
      '0',
      '"\\u0061b"',
    ];
    for (const id of good) {
      const index = new TestIndex();
      expect(codes(await index.apply(index.upsert(`{"id":${id}}`))), id).toEqual([null]);
    }
    const bad = [
      `"${'x'.repeat(512)}"`,
      '""',
      '1.0',
      '1e3',
      '-0',
      '18446744073709551616',
      'null',
      'true',
      '[1]',
      '{"a":1}',
      '"é"',
      '"a b"',
    ];
    for (const id of bad) {
      const index = new TestIndex();
      const change = await index.apply(index.upsert(`{"id":${id}}`));
      expect(codes(change), id).toEqual(['invalid_document_id']);
      expect(index.documents()).toEqual([]);
    }
  });

  it('come when the primary key cannot be inferred, or differs from the one that is set', async () => {
    const none = new TestIndex();
    expect(codes(await none.apply(none.upsert([{ name: 'x' }])))).toEqual([
      'index_primary_key_no_candidate_found',
    ]);
    const several = new TestIndex();
    expect(codes(await several.apply(several.upsert([{ id: 1, bookId: 2 }])))).toEqual([
      'index_primary_key_multiple_candidates_found',
    ]);
    const named = new TestIndex();
    const change = await named.apply(
      named.upsert([{ id: 1, bookId: 2 }], { primaryKey: 'bookId' }),
      named.upsert([{ id: 3, bookId: 4 }], { primaryKey: 'id' }),
      named.upsert([{ id: 5, bookId: 6 }]),
    );
    expect(codes(change)).toEqual([null, 'index_primary_key_already_exists', null]);
    expect(change.primaryKey).toBe('bookId');
    expect(ids(named)).toEqual(['0:2', '1:6']);
  });

  it('leave the index without a key, so that a later task of the batch may infer its own', async () => {
    for (const threads of [1, 2]) {
      const index = new TestIndex({ threads });
      const operations = [
        index.upsert([{ aid: 1 }, { bid: 2 }]),
        index.upsert([{ bid: 3 }]),
        index.upsert([{ bid: 4, aid: 5 }]),
      ];
      const change = await index.apply(
        ...operations.map((operation) => spooled(index, operation, threads)),
      );
      expect(codes(change)).toEqual(['missing_document_id', null, null]);
      expect(change.primaryKey).toBe('bid');
      expect(ids(index)).toEqual(['0:3', '1:4']);
    }
  });

  it('come with more than 65,535 fields, in one payload or over several', async () => {
    const document = (id: number, from: number, count: number): string =>
      `{"id":${id},"o":{${Array.from({ length: count }, (_, i) => `"f${from + i}":1`).join(',')}}}`;
    const index = new TestIndex();
    const change = await index.apply(
      index.upsert(document(1, 0, 66_000)),
      index.upsert(document(2, 0, 40_000)),
      index.upsert(document(3, 20_000, 40_000)),
      index.upsert(document(4, 0, 20_000)),
    );
    expect(codes(change)).toEqual(['max_fields_limit_exceeded', null, null, null]);
    const later = await index.apply(index.upsert(document(5, 50_000, 40_000)));
    expect(codes(later)).toEqual(['max_fields_limit_exceeded']);
    expect(index.documents().map(({ id }) => id)).toEqual(['2', '3', '4']);
  });
});

describe('primary keys', () => {
  it('may be a path; several values under it are an error', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert('[{"meta":{"id":7}},{"meta.id":9}]', { primaryKey: 'meta.id' }));
    expect(ids(index)).toEqual(['0:7', '1:9']);
    const twice = await index.apply(index.upsert('[{"meta":{"id":1},"meta.id":2}]'));
    expect(codes(twice)).toEqual(['invalid_document_id']);
    for (const without of ['[{"meta":5}]', '[{"meta":[{"id":8}]}]'])
      expect(codes(await index.apply(index.upsert(without)))).toEqual(['missing_document_id']);
  });

  it('are stored with an empty payload that names one, and not needed by one that does not', async () => {
    const index = new TestIndex();
    expect((await index.apply(index.upsert('[]'))).primaryKey).toBeNull();
    const change = await index.apply(index.upsert('', { format: 'ndjson', primaryKey: 'sku' }));
    expect(change.primaryKey).toBe('sku');
    expect(change.results[0]).toEqual({
      taskUid: 1,
      error: null,
      indexedDocuments: 0,
      deletedDocuments: 0,
    });
  });

  it('may differ from the one of the index when the payload is empty', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }]));
    const change = await index.apply(index.upsert('[]', { primaryKey: 'sku' }));
    expect([codes(change), change.primaryKey]).toEqual([[null], 'id']);
  });

  it('are inferred regardless of case, from any member ending with id', async () => {
    const index = new TestIndex();
    expect((await index.apply(index.upsert([{ title: 'x', ProductID: 'a' }]))).primaryKey).toBe(
      'ProductID',
    );
  });
});

describe('settings', () => {
  it('that decide nothing stored keep every segment', async () => {
    const index = new TestIndex({ settings: { searchableAttributes: ['a', 'b'] } });
    await index.apply(index.upsert([{ id: 1, a: 'x' }]));
    const before = index.manifest.segments;
    const change = await index.applySettings({
      searchableAttributes: ['b', 'a', 'a.c'],
      rankingRules: [],
      synonyms: { a: ['b'] },
      displayedAttributes: [],
      localizedAttributes: [],
    });
    expect(change.segments).toBe(before);
    expect(change.newSegments).toEqual([]);
  });

  it('of text are applied to stored documents, dropping the dead', async () => {
    const index = new TestIndex();
    await index.apply(
      index.upsert([
        { id: 1, a: 'red apple', b: 'x' },
        { id: 2, a: 'gone' },
      ]),
    );
    await index.apply(index.upsert([{ id: 3, a: 'the pear' }]), index.deleteIds('2'));
    const change = await index.applySettings({ searchableAttributes: ['a'], stopWords: ['the'] });
    expect(
      change.segments.map(({ documentCount, deadCount }) => [documentCount, deadCount]),
    ).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(index.words(0)).toEqual({ red: ['a@0'], apple: ['a@1'] });
    expect(index.words(2)).toEqual({ pear: ['a@1'] });
    expect(json(index)).toEqual(['{"id":1,"a":"red apple","b":"x"}', '{"id":3,"a":"the pear"}']);
    await index.apply(index.upsert([{ id: 4, a: 'the b' }]));
    expect(ids(index)).toEqual(['0:1', '1:4', '2:3']);
  });
});

describe('merges', () => {
  it('learn of documents that died while they ran', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }, { id: 2 }, { id: 6 }]));
    await index.apply(index.upsert([{ id: 3 }, { id: 4 }]));
    await index.apply(index.deleteIds('1'));
    const merging = index.writer.merge(index.manifest.segments.map(({ id }) => id));
    await index.apply(index.deleteIds('3'), index.upsert([{ id: 2, late: true }]));
    index.commitMerge(await merging);
    expect(index.manifest.segments[0]).toMatchObject({ documentCount: 4, deadCount: 2 });
    expect(json(index)).toEqual(['{"id":2,"late":true}', '{"id":6}', '{"id":4}']);
    await index.apply(index.upsert([{ id: 5 }]));
    expect(ids(index)).toEqual(['0:5', '1:2', '2:6', '4:4']);
  });

  it('are kept when a segment died that was one of several, without its documents', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }, { id: 2 }]));
    await index.apply(index.upsert([{ id: 3 }]));
    const merging = index.writer.merge(index.manifest.segments.map(({ id }) => id));
    await index.apply(index.upsert([{ id: 3, late: true }]));
    index.commitMerge(await merging);
    expect(index.manifest.segments.map(({ deadCount }) => deadCount)).toEqual([1, 0]);
    expect(json(index)).toEqual(['{"id":1}', '{"id":2}', '{"id":3,"late":true}']);
    expect(index.orphanFiles()).toEqual([]);
  });

  it('leave no file when all their segments are gone', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }]));
    const segments = index.manifest.segments.map(({ id }) => id);
    const merging = index.writer.merge(segments);
    await index.apply(index.deleteAll());
    const merge = await merging;
    if (merge === null) throw new Error('nothing was merged');
    expect(index.directory.list().some((name) => name.startsWith(merge.changeId))).toBe(true);
    index.commitMerge(merge);
    expect(index.directory.list().some((name) => name.startsWith(merge.changeId))).toBe(false);
    expect(await index.writer.merge(segments)).toBeNull();
  });
});

describe('an aborted change', () => {
  const failing = new Error('the disk is full');

  /** Fails the second file of all that are created from now on. */
  function failSecondFile(index: TestIndex): void {
    let count = 0;
    const { createMany } = index.directory;
    index.directory.createMany = (files) => {
      count += files.length;
      if (count > 1) throw failing;
      createMany.call(index.directory, files);
    };
  }

  const manyFilms = Array.from({ length: 4000 }, (_, i) =>
    JSON.stringify({ id: i, text: `word${i} ${'filler '.repeat(90)}` }),
  ).join('\n');

  it.each([1, 2])('leaves no file when a batch fails (%i threads)', async (threads) => {
    const index = new TestIndex({ threads, segmentBytesMax: 6e5 });
    const payload = index.spool('/spool/a', manyFilms);
    failSecondFile(index);
    const operation = index.upsert('', {
      payload,
      payloadBytes: threads === 1 ? 1 : 9e6,
      format: 'ndjson',
    });
    await expect(index.writer.applyDocuments([operation])).rejects.toThrow(failing);
    expect(index.directory.list()).toEqual([]);
  });

  it('leaves no file when the batch is not committed, and the next one begins', async () => {
    const index = new TestIndex();
    await index.writer.applyDocuments([index.upsert([{ id: 1 }])]);
    expect(index.directory.list()).toHaveLength(1);
    await index.apply(index.upsert([{ id: 2 }]));
    expect(index.orphanFiles()).toEqual([]);
  });

  it.each([
    ['missing_document_id', { a: 1 }],
    ['invalid_document_id', { id: 'a b' }],
    ['invalid_document_geo_field', { id: 2 }],
  ])(
    'reports %s of a later document before the position of an earlier one',
    async (code, later) => {
      const index = new TestIndex({ settings: { filterableAttributes: ['_geo'] } });
      await index.apply(index.upsert([{ id: 9 }]));
      const change = await index.apply(index.upsert([{ id: 1, _geo: 'nowhere' }, later]));
      expect(codes(change)).toEqual([code]);
    },
  );

  it('leaves no file when settings cannot be applied to one of the segments', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['id'] } });
    await index.apply(index.upsert([{ id: 1, _geo: null }]));
    await index.apply(index.upsert([{ id: 2, _geo: 'nowhere' }]));
    await expect(index.applySettings({ filterableAttributes: ['_geo'] })).rejects.toMatchObject({
      code: 'invalid_document_geo_field',
    });
    expect(index.orphanFiles()).toEqual([]);
  });

  it('leaves no file when it is discarded', async () => {
    const index = new TestIndex();
    const prepared = await index.writer.applyDocuments([index.upsert([{ id: 1 }])]);
    expect(index.directory.list()).toHaveLength(1);
    index.writer.discard(prepared.changeIds[0]);
    expect(index.directory.list()).toEqual([]);
  });
});

describe('an edit of many documents', () => {
  const edit = { filter: null, context: null };

  it('goes round by round, with the outcome of a single one', async () => {
    const films = Array.from({ length: 300 }, (_, id) => ({ id, n: id % 7, text: 'x'.repeat(50) }));
    const source = 'if doc.n == 0 { doc = () } else if doc.n < 4 { doc.n += 10 }';
    const outcomes = [];
    for (const segmentBytesMax of [undefined, 2000]) {
      const index = new TestIndex(segmentBytesMax === undefined ? {} : { segmentBytesMax });
      await index.apply(index.upsert(films.slice(0, 200)), index.deleteIds('5'));
      await index.apply(index.upsert(films.slice(200)));
      const change = await index.writer.editDocuments({ ...edit, function: source });
      index.commit({ segments: change.segments });
      expect(change).toMatchObject({ editedDocuments: 299, deletedDocuments: 43 });
      expect(index.orphanFiles()).toEqual([]);
      outcomes.push(index.documents());
      await index.apply(index.upsert([{ id: 1000 }]));
      expect(ids(index)[0]).toBe('0:1000');
    }
    expect(outcomes[0]).toHaveLength(256);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('leaves nothing of earlier rounds when a later document fails', async () => {
    const index = new TestIndex({ segmentBytesMax: 500 });
    await index.apply(index.upsert(Array.from({ length: 50 }, (_, id) => ({ id, n: id }))));
    const before = index.directory.list();
    const source = 'if doc.n == 40 { doc.id = 1 } else { doc.n += 1 }';
    await expect(index.writer.editDocuments({ ...edit, function: source })).rejects.toMatchObject({
      code: 'edit_documents_by_function_error',
    });
    expect(index.directory.list()).toEqual(before);
    expect(index.orphanFiles()).toEqual([]);
  });

  it.each([
    ['doc.id = 9', 'edit_documents_by_function_error', 'the function changed the primary key'],
    ['doc.remove("id")', 'missing_document_id', 'changed the primary key'],
    ['doc.id = 1.5', 'invalid_document_id', 'changed the primary key'],
    ['doc = "text"', 'edit_documents_by_function_error', '`doc` is string in the end'],
  ])('is refused by %s', async (source, code, message) => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }]));
    await expect(index.writer.editDocuments({ ...edit, function: source })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

describe('large batches', () => {
  it('are shared out to all threads and stay in order', async () => {
    const DOCUMENTS = 4000;
    const index = new TestIndex({ threads: 2, settings: { searchableAttributes: ['text'] } });
    const filler = 'filler '.repeat(360);
    const text = Array.from({ length: DOCUMENTS }, (_, i) =>
      JSON.stringify({ id: i, text: `word${i}`, filler }),
    ).join('\n');
    const payload = index.spool('/spool/a', text);
    const change = await index.apply(
      index.upsert('', { payload, payloadBytes: 20e6, format: 'ndjson' }),
    );
    expect(change.newSegments).toHaveLength(2);
    expect(change.results[0]?.indexedDocuments).toBe(DOCUMENTS);
    const documents = index.documents();
    expect(documents).toHaveLength(DOCUMENTS);
    expect(documents.every(({ docId, id }) => String(docId) === id)).toBe(true);
  });
});
