/** Requests of commands to a server that goes away and comes back. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Instance } from '../../../src/cli/instance-client.ts';

let server: Server | null = null;
afterEach(() => server?.close());

async function listening(onRequest: Parameters<typeof createServer>[1]): Promise<Instance> {
  server = createServer(onRequest);
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return new Instance(`http://127.0.0.1:${port}`, null);
}

it('repeats a request that is not answered, once the server has answered one', async () => {
  let requests = 0;
  const instance = await listening((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end('{}');
  });
  await instance.request('GET', '/health');
  await expect(instance.request('GET', '/health')).resolves.toEqual({});
  expect(requests).toBe(3);
});

it('fails at once when the server has never answered', async () => {
  let requests = 0;
  const instance = await listening((request) => {
    requests += 1;
    request.socket.destroy();
  });
  await expect(instance.request('GET', '/health')).rejects.toThrow('does not answer');
  expect(requests).toBe(1);
});
