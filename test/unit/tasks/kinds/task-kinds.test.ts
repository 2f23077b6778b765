/** What is stored of a draft, and what it means for batches. */
import { describe, expect, it } from 'vitest';
import type { TaskDraft } from '../../../../src/model/task.ts';
import { QUEUE_RULES, toNewTask } from '../../../../src/tasks/kinds/task-kinds.ts';
import { drafts } from '../../../support/indexer-harness.ts';

const { add, remove, clear, settings, create, update, drop, swap, cancel, forget } = drafts;
const detailsOf = (draft: TaskDraft) => toNewTask(draft, [3, 4, 9]).stored.details;

describe('details', () => {
  it('have the members of each type, null until known', () => {
    expect(detailsOf(add('a', [{}, {}]))).toEqual({ receivedDocuments: 2, indexedDocuments: null });
    expect(detailsOf(remove('a', ['1', '1']))).toEqual({
      providedIds: 2,
      deletedDocuments: null,
      originalFilter: null,
    });
    expect(detailsOf(clear('a'))).toEqual({ deletedDocuments: null });
    expect(detailsOf(create('a'))).toEqual({ primaryKey: null });
    expect(detailsOf(update('a', 'id'))).toEqual({ primaryKey: 'id' });
    expect(detailsOf(update('a', null, 'b'))).toEqual({
      primaryKey: null,
      newIndexUid: 'b',
      oldIndexUid: 'a',
    });
    expect(detailsOf(drop('a'))).toEqual({ deletedDocuments: null });
    expect(detailsOf(swap(['a', 'b']))).toEqual({
      swaps: [{ indexes: ['a', 'b'], rename: false }],
    });
    expect(detailsOf(cancel({}))).toEqual({
      matchedTasks: 3,
      canceledTasks: null,
      originalFilter: '?x',
    });
    expect(detailsOf(forget({}))).toEqual({
      matchedTasks: 3,
      deletedTasks: null,
      originalFilter: '?y',
    });
    expect(detailsOf(settings('a', { stopWords: ['b', 'a'], pagination: null }))).toEqual({
      stopWords: ['a', 'b'],
      pagination: null,
    });
  });

  it.each([
    ['names no member', {}],
    ['names all that other servers know', { stopWords: null, pagination: null }],
  ])('tell of a reset of all settings that %s what clients know', (_title, given) => {
    const task = toNewTask(settings('a', given, true), []);
    expect(Object.keys(task.stored.details ?? {})).toHaveLength(22);
    expect(task.stored.details).not.toHaveProperty('inflections');
    expect(task.stored.work).toMatchObject({ settings: { inflections: null, chat: null } });
  });

  it('tell of a reset of an added setting', () => {
    expect(detailsOf(settings('a', { inflections: null }, true))).toEqual({ inflections: null });
  });

  it('hide the keys of embedders', () => {
    const embedders = {
      a: { source: 'openAi', apiKey: 'sk-secret-secret' },
      b: { source: 'x' },
      c: null,
      d: { apiKey: 'abc' },
      e: { source: 'composite', indexingEmbedder: { apiKey: 'sk-secret-secret' } },
    };
    const task = toNewTask(settings('a', { embedders }), []);
    expect(task.stored.details).toEqual({
      embedders: {
        a: { source: 'openAi', apiKey: 'skXXXX...' },
        b: { source: 'x' },
        c: null,
        d: { apiKey: 'XXX...' },
        e: { source: 'composite', indexingEmbedder: { apiKey: 'skXXXX...' } },
      },
    });
    expect(task.stored.work).toMatchObject({ settings: { embedders } });
  });
});

describe('contents', () => {
  it('of requests are stored apart from the record, files stay files', () => {
    const task = toNewTask(add('a', [{ id: 1 }]), []);
    expect(Buffer.from(task.contentBytes ?? []).toString()).toBe('[{"id":1}]');
    expect(task.stored.work).toMatchObject({ content: { kind: 'beside', bytes: 10 } });
    const file = { kind: 'file', name: 'n', bytes: 4 } as const;
    expect(toNewTask(add('a', [], { payload: file }), [])).toMatchObject({
      contentBytes: null,
      stored: { work: { content: file } },
    });
    expect(Buffer.from(toNewTask(remove('a', ['x', 'y']), []).contentBytes ?? []).toString()).toBe(
      '["x","y"]',
    );
    expect(toNewTask(swap(), [])).toMatchObject({ indexUid: null, type: 'indexSwap' });
  });
});

describe('candidates of tasks', () => {
  const candidateOf = (draft: TaskDraft) => {
    const { work } = toNewTask(draft, []).stored;
    return work === null ? null : QUEUE_RULES.candidateOf(work);
  };

  it('are what the merge table calls them', () => {
    expect(candidateOf(remove('a', ['xyz']))).toEqual({ kind: 'deletionByIds', bytes: 7 });
    const byFilter = { kind: 'filter', filter: 'a = 1' } as const;
    expect(candidateOf({ type: 'documentDeletion', indexUid: 'a', by: byFilter })).toEqual({
      kind: 'deletionByFilter',
      bytes: 7,
    });
    expect(candidateOf(clear('a'))).toEqual({ kind: 'clear', bytes: 0 });
    expect(candidateOf(add('a', [], { primaryKey: 'k' }))).toEqual({
      kind: 'addition',
      primaryKey: 'k',
      allowIndexCreation: true,
      bytes: 2,
    });
    expect(candidateOf(settings('a', {}, true))).toMatchObject({ allowIndexCreation: false });
    expect(candidateOf(drop('a'))).toMatchObject({ kind: 'indexDeletion' });
  });

  it('are exclusive when the merge table does not name them', () => {
    const edit = { function: 'doc.a = 1', filter: null, context: null };
    for (const draft of [
      create('a'),
      update('a', null),
      swap(),
      { type: 'documentEdition', indexUid: 'a', ...edit } as const,
    ])
      expect(candidateOf(draft)).toEqual({ kind: 'exclusive', bytes: 0 });
  });
});

describe('urgent kinds', () => {
  it('are served in the order of the contract', () => {
    expect(QUEUE_RULES.urgent).toEqual([
      { type: 'taskCancelation', takes: 'newest' },
      { type: 'upgradeDatabase', takes: 'all' },
      { type: 'taskDeletion', takes: 'all' },
      { type: 'indexCompaction', takes: 'oldest' },
    ]);
  });
});
