/** The state of a node that follows the writer: what it shows, and in which order. */
import { describe, expect, it } from 'vitest';
import { IndexCatalog } from '../../../src/catalog/index-catalog.ts';
import { KeyStore } from '../../../src/catalog/key-store.ts';
import { ReplicaState } from '../../../src/cluster/replica-state.ts';
import { readWriterNote, writerNote } from '../../../src/cluster/writer-note.ts';
import { changesAfter, LoggedStore } from '../../../src/storage/database/change-log.ts';
import { toNewTask } from '../../../src/tasks/kinds/task-kinds.ts';
import { TaskStore } from '../../../src/tasks/store/task-store.ts';
import { Gate } from '../../support/gate.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';

const note = { nodeId: 'n', url: 'http://n', beat: 0, hasStopped: false };

/** A writer, and a node that follows it. */
async function pair(entriesKept?: number) {
  const store = new MemoryStore();
  const written = await LoggedStore.open(store, entriesKept);
  await written.write([writerNote(note)]);
  const catalog = await IndexCatalog.load(written);
  const tasks = await TaskStore.open(written, new Map());
  const seen: string[] = [];
  const files = { areHere: true, areThere: true };
  const fetches: Gate[] = [];
  const replica = await ReplicaState.load(
    {
      store,
      forced: [],
      publish: (name, data) => void seen.push(`${name} ${JSON.stringify(data).slice(0, 60)}`),
      areFilesHere: () => files.areHere,
      fetchFiles: async (manifests) => {
        if (!files.areThere) throw new Error('the store is away');
        if (files.areHere) return;
        const gate = new Gate();
        fetches.push(gate);
        await gate.pass();
        seen.push(`fetched ${manifests.map(({ uid }) => uid)}`);
      },
      onFetched: (failure) => void (failure && seen.push(failure.message)),
      isLocal: () => true,
      onApplied: ({ deletedBytes }) => void seen.push(`deleted ${[...deletedBytes.keys()]}`),
      onTasks: (uids) => {
        for (const uid of uids) seen.push(`task ${uid} ${replica.tasks.row(uid)?.status}`);
      },
      onWriter: ({ url }) => void seen.push(`writer ${url}`),
    },
    note,
  );
  seen.length = 0;
  const enqueue = () =>
    tasks.enqueue(toNewTask({ type: 'indexCreation', indexUid: 'a', primaryKey: null }, []), 1);
  /** Creates index `a`, and ends the task with it. */
  const create = async (uid: number, indexUid = 'a'): Promise<void> => {
    const [change, ended] = [catalog.begin(), tasks.begin()];
    change.create(indexUid, null, 'now');
    const [stored] = await tasks.load([uid]);
    const row = tasks.row(uid);
    if (row === null || stored === undefined) throw new Error('no task');
    ended.finish({ ...row, status: 'succeeded' }, { ...stored, work: null, details: {} });
    await written.write([...change.operations(), ...(await ended.operations())]);
    change.apply();
    await ended.apply();
  };
  return { store, written, catalog, replica, seen, files, fetches, enqueue, create };
}

describe('a node that follows the writer', () => {
  it('shows a task as finished after the generation with its result', async () => {
    const { replica, seen, enqueue, create } = await pair();
    expect(await replica.follow()).toBe('unchanged');
    const { uid } = await enqueue();
    expect(await replica.follow()).toBe('changed');
    expect(seen.splice(0)).toEqual(['task 0 enqueued']);
    await create(uid);
    expect(await replica.follow()).toBe('changed');
    expect(seen.map((line) => line.split(' ')[0])).toEqual([
      'indexPublished',
      'indexChecked',
      'deleted',
      'task',
    ]);
    expect(seen.at(-1)).toBe('task 0 succeeded');
    expect(replica.catalog.get('a')?.generation).toBe(1);
    expect(replica.tasks.pending.size).toBe(0);
  });

  it('shows nothing of a commit whose files cannot be fetched, and all of it later', async () => {
    const { replica, seen, files, enqueue, create } = await pair();
    const { uid } = await enqueue();
    await create(uid);
    files.areThere = false;
    files.areHere = false;
    expect(await replica.follow()).toBe('changed');
    await until('the fetch has failed', () => seen.includes('the store is away'));
    expect(seen.sort()).toEqual(['task 0 enqueued', 'the store is away']);
    files.areHere = true;
    expect(await replica.follow()).toBe('unchanged');
    expect(seen.slice(2).map((line) => line.split(' ')[0])).toEqual([
      'indexPublished',
      'indexChecked',
      'deleted',
      'task',
    ]);
    expect(replica.tasks.row(uid)?.status).toBe('succeeded');
  });

  it('shows commits of other indexes while it fetches the files of one', async () => {
    const { replica, seen, files, fetches, enqueue, create } = await pair();
    const [slow, other] = [await enqueue(), await enqueue()];
    await create(slow.uid, 'slow');
    files.areHere = false;
    await replica.follow();
    const [fetch] = fetches;
    await fetch?.entered;
    files.areHere = true;
    await create(other.uid, 'other');
    await replica.follow();
    expect(seen).toContain('task 1 succeeded');
    expect(seen).not.toContain('task 0 succeeded');
    expect(replica.catalog.get('slow')).toBe(null);
    expect(replica.position - replica.servedPosition).toBeGreaterThan(0);
    fetch?.release();
    await until('the files are fetched', () => seen.includes('fetched slow'));
    await replica.follow();
    expect(seen.at(-1)).toBe('task 0 succeeded');
    expect(replica.catalog.get('slow')?.generation).toBe(1);
    expect(replica.position).toBe(replica.servedPosition);
  });

  it('never shows the row of a later commit with the indexes of an earlier one', async () => {
    const { store, replica, seen, enqueue, create } = await pair();
    const { uid } = await enqueue();
    const read = store.getMany.bind(store);
    // The commit comes between the read of the log and that of the rows.
    store.getMany = async (keys) => {
      store.getMany = read;
      await create(uid);
      return read(keys);
    };
    await replica.follow();
    expect(seen.filter((line) => line.startsWith('indexPublished'))).toHaveLength(1);
    expect(seen.at(-1)).toBe('task 0 succeeded');
  });

  it('removes deleted indexes and tasks', async () => {
    const { written, catalog, replica, seen, enqueue, create } = await pair();
    const { uid } = await enqueue();
    await create(uid);
    await replica.follow();
    const change = catalog.begin();
    change.delete('a');
    const id = catalog.get('a')?.id;
    await written.write(change.operations());
    seen.length = 0;
    await replica.follow();
    expect(seen).toEqual([`indexRemoved {"uid":"a","indexId":${id}}`, `deleted ${id}`]);
    expect([...replica.catalog.all()]).toEqual([]);
  });

  it('follows keys and the writer', async () => {
    const { store, written, replica, seen } = await pair();
    const keys = await KeyStore.open(written, { now: () => 'now', createUid: () => 'uid' });
    await written.write([writerNote({ ...note, url: 'http://m', beat: 1 })]);
    await replica.follow();
    expect(seen.filter((line) => line.startsWith('keyPublished'))).toHaveLength(1);
    expect(seen.at(-1)).toBe('writer http://m');
    expect(await readWriterNote(store)).toMatchObject({ url: 'http://m', beat: 1 });
    await keys.delete('uid');
    seen.length = 0;
    await replica.follow();
    expect(seen).toEqual(['keyRemoved {"uid":"uid"}']);
  });

  it('says that it is behind when the log is too short', async () => {
    const { replica, enqueue } = await pair(2);
    for (let i = 0; i < 4; i++) await enqueue();
    expect(await replica.follow()).toBe('behind');
  });

  it('hands over all tasks and indexes as stored, including those that it does not show', async () => {
    const { store, replica, files, fetches, enqueue, create } = await pair();
    const first = await enqueue();
    await replica.follow();
    files.areHere = false;
    await create(first.uid);
    await replica.follow();
    const second = await enqueue();
    expect(fetches).toHaveLength(1);
    expect(replica.tasks.row(first.uid)?.status).toBe('enqueued');
    const known = replica.handOver(await changesAfter(store, replica.position));
    if (known === null) throw new Error('the log has all changes');
    expect(known.tasks.changed).toEqual([first.uid, second.uid]);
    const tasks = await TaskStore.openKnown(store, known.tasks, new Map());
    expect([...tasks.rows()]).toEqual([...(await TaskStore.open(store, new Map())).rows()]);
    expect([...tasks.pending.uids]).toEqual([second.uid]);
    expect(tasks.nextTaskUid).toBe(second.uid + 1);
    const catalog = await IndexCatalog.loadKnown(store, known.indexes);
    expect([...catalog.all()]).toEqual([...(await IndexCatalog.load(store)).all()]);
    // The node still answers by its own state.
    expect(replica.tasks.row(first.uid)?.status).toBe('enqueued');
    expect(replica.tasks.row(second.uid)).toBeNull();
    expect(replica.catalog.get('a')).toBeNull();
  });

  it('hands over nothing if the log lacks changes', async () => {
    const { store, replica, enqueue } = await pair(2);
    for (let count = 0; count < 4; count++) await enqueue();
    expect(replica.handOver(await changesAfter(store, replica.position))).toBeNull();
  });
});
