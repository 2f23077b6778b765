/**
 * node dist/scripts/health-check.js: ends with 0 when the server of this container or host answers,
 * else with 1 and the reason. Takes the server's options, from variables as a rule; asks a front
 * for `/livez`, of an indexer whether it takes connections.
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
  // The certificate is of the name that clients use, not of this host's own.
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
  // A server that asks clients for certificates would refuse the request itself.
  else if (config.sslRequireAuth) await connects(`127.0.0.1:${config.http.port}`);
  else await isAlive(config);
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
