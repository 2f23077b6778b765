/** Both HTTP adapters keep the same contract; what only one of them could get wrong stands here. */
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { Exchange, ExchangeHandler } from '../../src/http/exchange.ts';
import { startNodeServer } from '../../src/http/node-server.ts';
import { serve } from '../../src/http/server.ts';
import { loadUws, startUwsServer } from '../../src/http/uws-server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';
import { until } from '../support/until.ts';
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

const start = {
  node: (handle: ExchangeHandler) => startNodeServer({ host: '127.0.0.1', port: 0 }, handle),
  uws: async (handle: ExchangeHandler) =>
    startUwsServer(await loadUws(), { host: '127.0.0.1', port: 0 }, handle),
};

for (const adapter of httpAdapters) {
  describeOver(adapter, `an exchange over ${adapter} whose client has left`, () => {
    it('calls all its listeners and holds no stream until the server closes', async () => {
      const exchanges: Exchange[] = [];
      const calls: string[] = [];
      const server = await start[adapter]((exchange) => {
        exchanges.push(exchange);
        for (const name of ['first', 'second']) exchange.whenAborted(() => calls.push(name));
      });
      const socket = connect(server.port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      await until('the request has come', () => exchanges.length === 1);
      socket.destroy();
      await until('the client has left', () => exchanges[0]?.isAborted === true);
      expect(calls).toEqual(['first', 'second']);
      const events = { drained: () => undefined, stop: () => void calls.push('stop') };
      exchanges[0]?.open({ status: 200, headers: [] }, events);
      await server.close(100);
      expect(calls).toEqual(['first', 'second']);
    });
  });

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
