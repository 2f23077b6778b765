/** The note by which a node shows that it writes. */
import { expect, it } from 'vitest';
import { WriterHeartbeat } from '../../../src/cluster/writer-heartbeat.ts';
import { readWriterNote } from '../../../src/cluster/writer-note.ts';
import { MemoryStore } from '../../support/memory-store.ts';

it('a write after the stop does not hide that the node has stopped', async () => {
  const store = new MemoryStore();
  const heartbeat = await WriterHeartbeat.start({
    store,
    nodeId: 'own',
    url: 'http://own',
    everyMs: 60_000,
    onFailure: () => expect.unreachable(),
  });
  expect(await readWriterNote(store)).toMatchObject({ nodeId: 'own', hasStopped: false });
  await heartbeat.stop();
  await expect(heartbeat.confirm()).rejects.toThrow('this node has stopped to write');
  expect(await readWriterNote(store)).toMatchObject({ hasStopped: true });
});
