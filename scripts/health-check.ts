/**
 * node dist/scripts/health-check.js: exit code 0 = the server of this container or host answers, 1
 * = it does not, with the reason. Reads the server's options, usually from variables. Requests
 * `/livez` of a front; connects to an indexer.
 */
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { type Config, loadConfig } from '../config/load.ts';
import { toSocketAddress } from '../src/ipc/connection/address.ts';

const TIMEOUT_MS = 3000;
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

async function connects(address: string): Promise<void> {
  const socket = connect(toSocketAddress(address));
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no connection in time')));
  await new Promise<void>((done, fail) => {
    socket.once('connect', done);
    socket.once('error', fail);
  });
  socket.destroy();
}

function isAlive({ http: { host, port }, sslCertPath }: Config): Promise<void> {
  const hostname = ANY_ADDRESS.has(host) ? 'localhost' : host;
  const target = { hostname, port, path: '/livez', timeout: TIMEOUT_MS };
  // The certificate names the public host name, not the address used here.
  const request =
    sslCertPath === null ? http.get(target) : https.get({ ...target, rejectUnauthorized: false });
  return new Promise((done, fail) => {
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', fail);
    request.once('response', ({ statusCode }) => {
      request.destroy();
      if (statusCode === 200) done();
      else fail(new Error(`/livez was answered ${statusCode}`));
    });
  });
}

try {
  const config = loadConfig({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() });
  if (config.role === 'indexer') await connects(config.indexerAddress);
  // A server that requires client certificates refuses the request; a TLS connection is sufficient.
  else if (config.sslRequireAuth) await connects(`127.0.0.1:${config.http.port}`);
  else await isAlive(config);
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
