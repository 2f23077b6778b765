/** Reads of tasks and batches with a key for one index whose documents had another name before. */
import type { Attack } from './attack.ts';

const HIDDEN = 'payroll';
const READS = ['/tasks?limit=100', '/batches?limit=100', '/indexes', '/stats', '/keys', '/network'];

export const attack: Attack = {
  name: 'names of others',
  sends: 'reads of tasks, batches and joined documents with a key for one index, after a swap',
  short: true,
  actions: ['*'],
  async run({ send, settle, masterKey: key }) {
    const broken: string[] = [];
    const done = (method: string, path: string, body: unknown): Promise<string> =>
      settle({ method, path, body, key });
    const look = async (path: string, body?: object): Promise<void> => {
      const { text } = await send({ path, ...(body !== undefined && { body }) });
      if (text.includes(HIDDEN))
        broken.push(`${path} names the other index: ${text.slice(0, 300)}`);
    };
    await done('POST', `/indexes/${HIDDEN}/documents`, [{ id: 1, text: 'harbour' }]);
    await done('PATCH', `/indexes/${HIDDEN}`, { primaryKey: 'text' });
    await done('POST', '/swap-indexes', [{ indexes: ['texts', HIDDEN] }]);
    for (const path of READS) await look(path);
    await look('/indexes/texts/search', { filter: '_foreign(ref, a = 1)' });
    await look('/multi-search', { queries: [{ indexUid: 'texts' }], federation: {} });
    await done('POST', '/swap-indexes', [{ indexes: ['texts', HIDDEN] }]);
    await done('DELETE', `/indexes/${HIDDEN}`, undefined);
    return broken;
  },
};
