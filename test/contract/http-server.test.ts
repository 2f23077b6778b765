/** Both HTTP adapters keep the same contract; what only one of them could get wrong stands here. */
import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';
import { describeHttpServer } from './http-server.contract.ts';

for (const adapter of httpAdapters) describeHttpServer(adapter);

const hasIpv6Loopback = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/**
 * A port that the system has just given back: the library shares only ports that were asked for by
 * number.
 */
async function freePort(): Promise<number> {
  const server = await serve(
    { host: '127.0.0.1', port: 0, adapter: 'node' },
    [],
    createFakeApiContext(),
  );
  await server.close(100);
  return server.port;
}

describeOver('uws', 'the address of a server over uws', () => {
  it('belongs to one process alone', async () => {
    const server = await serve(
      { host: '127.0.0.1', port: await freePort(), adapter: 'uws' },
      [],
      createFakeApiContext(),
    );
    const intruder = `import { App } from 'uWebSockets.js'; App().listen('127.0.0.1', ${server.port}, (token) => { console.log(token !== false); process.exit(); });`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      intruder,
    ]);
    expect(stdout.trim()).toBe('false');
    await server.close(100);
  });
});

for (const adapter of httpAdapters) {
  describeOver(adapter, `the address localhost over ${adapter}`, () => {
    it('is every loopback address', async () => {
      const server = await serve(
        { host: 'localhost', port: 0, adapter },
        routes,
        createFakeApiContext(),
      );
      for (const host of ['127.0.0.1', ...(hasIpv6Loopback ? ['[::1]'] : [])]) {
        expect((await fetch(`http://${host}:${server.port}/health`)).status).toBe(200);
      }
      await server.close(100);
      await expect(fetch(`http://127.0.0.1:${server.port}/health`)).rejects.toThrow();
    });
  });
}
