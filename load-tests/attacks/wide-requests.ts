/** Reads and deletions by very many ids, and CSV rows of millions of cells. */
import type { Attack, AttackRequest } from './attack.ts';

const IDS_MAX = 200_000;
const CELLS = 20_000_000;
const ROUNDS = 5;
const CSV = { 'content-type': 'text/csv' };

const numbers = (count: number): string => `[${Array.from({ length: count }, (_, i) => i)}]`;
/** Filled, since a body that is joined would keep the bystander of this process waiting. */
const row = (start: string, cells: number): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(2 * cells, 'a,'), Buffer.from('a\n')]);

export const attack: Attack = {
  name: 'wide requests',
  sends: 'reads and deletions by 200,000 and 900,000 ids, CSV headers and rows of 20 million cells',
  short: true,
  actions: ['documents.get', 'documents.add', 'documents.delete'],
  async run({ send, isShort }) {
    const broken: string[] = [];
    const share = isShort ? 10 : 1;
    const documents = '/indexes/texts/documents';
    const read = (ids: string) => ({
      path: `${documents}/fetch`,
      body: `{"ids":${ids},"limit":1}`,
    });
    // No document has these ids.
    const remove = (ids: string) => ({
      path: `${documents}/delete-batch`,
      body: ids.replaceAll(/\d+/g, '"-$&"'),
    });
    const requests: readonly (readonly [AttackRequest, number])[] = [
      [read(numbers(IDS_MAX)), 200],
      [read(numbers(900_000)), 400],
      [remove(numbers(IDS_MAX)), 202],
      [remove(numbers(900_000)), 413],
      [{ path: documents, headers: CSV, body: row('id,', CELLS / share) }, 400],
      [{ path: documents, headers: CSV, body: row('id,a\n', CELLS / share) }, 400],
    ];
    for (let round = 0; round < (isShort ? 1 : ROUNDS); round++)
      for (const [request, expected] of requests) {
        const { status, code } = await send(request);
        if (status !== expected)
          broken.push(`${request.path} was answered ${status} ${code}, expected ${expected}`);
      }
    return broken;
  },
};
