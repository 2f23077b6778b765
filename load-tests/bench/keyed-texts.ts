/** A server with keys and an index of made texts, for what clients of different keys do to each other. */
import { createHmac } from 'node:crypto';
import { type BenchServer, serverAt, startServer } from './server.ts';

export const MASTER_KEY = 'a master key of some length';
export const SEARCH_PATH = '/indexes/texts/search';
const DOCUMENTS = 20_000;

const WORDS = 'red harbour winter letter night garden river stone glass moon'.split(' ');
const word = (n: number): string => WORDS[n % WORDS.length] ?? '';
const sentence = (n: number): string =>
  Array.from({ length: 12 }, (_, i) => `${word(n + i * 7)}${(n * (i + 3)) % 97}`).join(' ');

let searchCount = 0;
/** None is like another, so that no kept answer helps. */
export const madeSearch = (): string =>
  JSON.stringify({
    q: `${word(searchCount)}${searchCount++ % 97} ${word(searchCount * 3)} w${searchCount}`,
  });

interface KeyRights {
  readonly actions?: readonly string[];
  readonly indexes?: readonly string[];
  readonly requestsPerSecond?: number;
}

/** The value of a new key; it allows everything that `rights` does not restrict. */
export async function newKey(server: BenchServer, rights: KeyRights = {}): Promise<string> {
  const draft = { actions: ['*'], indexes: ['*'], expiresAt: null, ...rights };
  const { body } = await serverAt(server.port, MASTER_KEY).call('POST', '/keys', draft);
  const { uid } = body as { readonly uid: string };
  return createHmac('sha256', MASTER_KEY).update(uid).digest('hex');
}

export async function startKeyedTexts(
  flags: readonly string[],
  count = DOCUMENTS,
): Promise<BenchServer> {
  const server = await startServer(['--master-key', MASTER_KEY, ...flags]);
  const documents = Array.from({ length: count }, (_, id) => ({ id, text: sentence(id) }));
  await serverAt(server.port, MASTER_KEY).settle('POST', '/indexes/texts/documents', documents);
  return server;
}
