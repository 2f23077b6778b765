/** Every cell of the merge table of api.md 14.4, its footnotes, and the limits of a batch. */
import { describe, expect, it } from 'vitest';
import {
  type BatchableKind,
  type BatchCandidate,
  type BatchKind,
  type BatchLimits,
  GrowingBatch,
  type IndexFacts,
} from '../../../../src/tasks/batching/autobatcher.ts';

const KINDS: BatchableKind[] = [
  'addition',
  'deletionByIds',
  'deletionByFilter',
  'clear',
  'settings',
  'indexDeletion',
  'exclusive',
];
const LIMITS: BatchLimits = { tasks: 1000, bytes: 1e9 };
const EXISTING: IndexFacts = { primaryKey: 'id' };

function candidate(kind: BatchableKind, more: Partial<BatchCandidate> = {}): BatchCandidate {
  const own =
    kind === 'addition'
      ? { primaryKey: null, allowIndexCreation: true }
      : kind === 'settings'
        ? { allowIndexCreation: true }
        : {};
  return { kind, bytes: 1, ...own, ...more };
}

/** Offers all in turn; the kind and count of the batch, and why it stopped (null = it did not). */
function grow(index: IndexFacts, candidates: readonly BatchCandidate[], limits = LIMITS) {
  const [first, ...rest] = candidates;
  const batch = new GrowingBatch(first!, index, limits);
  let count = 1;
  for (const next of rest) {
    const answer = batch.offer(next);
    if (!answer.taken) return { kind: batch.kind, count, reason: answer.reason };
    count++;
  }
  return { kind: batch.kind, count, reason: null };
}

/** How to arrive at each row of the table, and what each column makes of it (null = stop). */
const TABLE: Record<string, { first: BatchableKind[]; cells: (BatchKind | null)[] }> = {
  documents: {
    first: ['addition'],
    cells: ['documents', 'documents', null, 'clear', null, 'indexDeletion', null],
  },
  'documents with deletions': {
    first: ['deletionByIds', 'addition'],
    cells: ['documents', 'documents', null, 'clear', null, 'indexDeletion', null],
  },
  deletions: {
    first: ['deletionByIds'],
    cells: ['documents', 'deletions', 'deletionsByFilter', 'clear', null, 'indexDeletion', null],
  },
  'deletions by filter': {
    first: ['deletionByFilter'],
    cells: [
      'documents',
      'deletionsByFilter',
      'deletionsByFilter',
      'clear',
      null,
      'indexDeletion',
      null,
    ],
  },
  'deletions by both': {
    first: ['deletionByIds', 'deletionByFilter', 'deletionByIds'],
    cells: [
      'documents',
      'deletionsByFilter',
      'deletionsByFilter',
      'clear',
      null,
      'indexDeletion',
      null,
    ],
  },
  clear: {
    first: ['clear'],
    cells: [null, 'clear', 'clear', 'clear', null, 'indexDeletion', null],
  },
  'clear of documents': {
    first: ['addition', 'clear'],
    cells: [null, 'clear', 'clear', 'clear', null, 'indexDeletion', null],
  },
  settings: {
    first: ['settings'],
    cells: [null, null, null, 'clearAndSettings', 'settings', 'indexDeletion', null],
  },
  'clear and settings': {
    first: ['settings', 'clear'],
    cells: [
      null,
      'clearAndSettings',
      'clearAndSettings',
      'clearAndSettings',
      'clearAndSettings',
      'indexDeletion',
      null,
    ],
  },
  'index deletion': { first: ['indexDeletion'], cells: [null, null, null, null, null, null, null] },
  'documents, then index deletion': {
    first: ['addition', 'indexDeletion'],
    cells: [null, null, null, null, null, null, null],
  },
  exclusive: { first: ['exclusive'], cells: [null, null, null, null, null, null, null] },
};

describe('merge table', () => {
  for (const [name, { first, cells }] of Object.entries(TABLE)) {
    for (const [i, next] of KINDS.entries()) {
      const expected = cells[i];
      it(`${name} + ${next} → ${expected ?? 'stop'}`, () => {
        const start = first.map((kind) => candidate(kind));
        const before = grow(EXISTING, start);
        expect(before.reason).toBeNull();
        const after = grow(EXISTING, [...start, candidate(next)]);
        expect(after.kind).toBe(expected ?? before.kind);
        expect(after.reason === null).toBe(expected !== null);
      });
    }
  }
});

describe('primary keys of additions', () => {
  const named = (primaryKey: string | null) => candidate('addition', { primaryKey });
  const counts = (index: IndexFacts, ...keys: (string | null)[]) =>
    grow(index, keys.map(named)).count;

  it('stay apart when the task names another key than the index', () => {
    expect(counts(EXISTING, null, 'id', null, 'id')).toBe(4);
    expect(counts(EXISTING, null, 'other')).toBe(1);
    expect(counts(EXISTING, 'other', 'id')).toBe(2);
  });

  it('stay apart when the index has none and the task differs from the batch', () => {
    for (const index of [null, { primaryKey: null }]) {
      expect(counts(index, 'a', 'a', 'b')).toBe(2);
      expect(counts(index, null, null, 'a')).toBe(2);
      expect(counts(index, 'a', null)).toBe(1);
    }
  });

  it('are those of the first addition when deletions came before it', () => {
    const batch = [candidate('deletionByIds'), named('a'), candidate('deletionByIds'), named('b')];
    expect(grow({ primaryKey: null }, batch)).toMatchObject({
      count: 3,
      reason: 'the primary key differs from that of the batch',
    });
  });
});

describe('a missing index', () => {
  const right = (kind: 'addition' | 'settings', allowIndexCreation: boolean) =>
    candidate(kind, { allowIndexCreation });

  it('keeps tasks apart that may create it from those that may not', () => {
    for (const kind of ['addition', 'settings'] as const) {
      expect(grow(null, [right(kind, true), right(kind, false)]).count).toBe(1);
      expect(grow(null, [right(kind, false), right(kind, true)]).count).toBe(1);
      expect(grow(null, [right(kind, false), right(kind, false)]).count).toBe(2);
      expect(grow(EXISTING, [right(kind, false), right(kind, true)]).count).toBe(2);
    }
  });

  it('keeps deletions from joining an addition that may create it', () => {
    const deletions: BatchableKind[] = ['deletionByIds', 'deletionByFilter'];
    for (const kind of deletions) {
      expect(grow(null, [candidate(kind), right('addition', true)]).count).toBe(1);
      expect(grow(null, [candidate(kind), right('addition', false)]).count).toBe(2);
      expect(grow(EXISTING, [candidate(kind), right('addition', true)]).count).toBe(2);
    }
    expect(
      grow(null, [right('addition', true), candidate('deletionByIds'), right('addition', true)])
        .count,
    ).toBe(3);
  });
});

describe('limits', () => {
  it('ends a batch at the number of tasks, and says so', () => {
    const three = Array.from({ length: 5 }, () => candidate('addition'));
    expect(grow(EXISTING, three, { tasks: 3, bytes: 1e9 })).toEqual({
      kind: 'documents',
      count: 3,
      reason: 'reached the limit of 3 tasks',
    });
    expect(grow(EXISTING, three, { tasks: 1, bytes: 1e9 }).count).toBe(1);
  });

  it('ends a batch before its payloads exceed the bytes, but lets one larger task run alone', () => {
    const sizes = (...bytes: number[]) =>
      bytes.map((size) => candidate('addition', { bytes: size }));
    expect(grow(EXISTING, sizes(40, 60, 1), { tasks: 9, bytes: 100 }).count).toBe(2);
    expect(grow(EXISTING, sizes(500, 1), { tasks: 9, bytes: 100 })).toMatchObject({
      count: 1,
      reason: 'reached the limit of 100 bytes of payload',
    });
    expect(grow(EXISTING, sizes(1, 500), { tasks: 9, bytes: 100 }).count).toBe(1);
  });
});
