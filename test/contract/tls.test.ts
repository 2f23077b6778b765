/** TLS by the node adapter: certificates, clients that show one, sessions, renewal while it runs. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import type { TlsMaterial, TlsOptions } from '../../src/http/tls.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';

const file = (name: string): Buffer => readFileSync(`test/fixtures/tls/${name}`);
const ca = file('ca.pem');
const material: TlsMaterial = {
  cert: file('server.pem'),
  key: file('server.key'),
  clientAuthorities: null,
  ocspResponse: null,
};
const identity = (name: string) => ({ cert: file(`${name}.pem`), key: file(`${name}.key`) });

let server: HttpServer;
afterEach(() => server.close(500));

async function start(
  own: Partial<Omit<TlsOptions, 'material'>> & { readonly material?: Partial<TlsMaterial> } = {},
): Promise<void> {
  const tls = {
    ...{ requireAuth: false, resumption: false, tickets: false },
    ...own,
    material: { ...material, ...own.material },
  };
  server = await serve({ host: '127.0.0.1', port: 0, tls }, routes, createFakeApiContext());
}

interface Answered {
  readonly status: number | undefined;
  /** Name in the certificate of the server. */
  readonly name: string;
  readonly isReused: boolean;
}

const callWith = (options: ConnectionOptions & { readonly agent?: Agent }): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { port } = server;
    const sent = request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path: '/health',
        ca,
        agent: false,
        ...options,
      },
      (answer) => {
        const socket = answer.socket as TLSSocket;
        const name = String(socket.getPeerCertificate().subject.CN);
        answer.resume();
        answer.once('end', () =>
          resolve({ status: answer.statusCode, name, isReused: socket.isSessionReused() }),
        );
      },
    );
    sent.once('error', reject);
    sent.end();
  });

const statusWith = async (options: ConnectionOptions): Promise<number | 'refused' | undefined> =>
  callWith(options).then(
    ({ status }) => status,
    () => 'refused' as const,
  );

it('answers clients that trust the authority, and no others', async () => {
  await start();
  expect(await callWith({})).toMatchObject({ status: 200, name: 'server.gannet.test' });
  expect(await statusWith({ ca: file('stranger.pem') })).toBe('refused');
});

it.each([
  [false, { nobody: 200, client: 200, stranger: 'refused' }],
  [true, { nobody: 'refused', client: 200, stranger: 'refused' }],
] as const)('asks clients for a certificate; required: %s', async (requireAuth, expected) => {
  await start({ requireAuth, material: { clientAuthorities: ca } });
  expect({
    nobody: await statusWith({}),
    client: await statusWith(identity('client')),
    stranger: await statusWith(identity('stranger')),
  }).toEqual(expected);
});

it('hands the answer of the authority to clients that ask', async () => {
  const ocspResponse = Buffer.from('what the authority says');
  await start({ material: { ocspResponse } });
  const stapled = await new Promise<Buffer>((resolve, reject) => {
    const { port } = server;
    const target = { host: '127.0.0.1', servername: 'localhost', port, ca };
    const socket = connect({ ...target, ...{ requestOCSP: true } });
    socket.once('OCSPResponse', (response) => {
      socket.destroy();
      resolve(response);
    });
    socket.once('error', reject);
  });
  expect(stapled).toEqual(ocspResponse);
});

/** Whether a second connection with the session of the first needs no full handshake. */
async function isResumed(): Promise<boolean> {
  const maxVersion = 'TLSv1.2';
  const { port } = server;
  const open = (session?: Buffer) =>
    new Promise<{ readonly session: Buffer | undefined; readonly isReused: boolean }>(
      (resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          servername: 'localhost',
          port,
          ca,
          maxVersion,
        } as const;
        const socket = connect({ ...options, ...(session && { session }) }, () => {
          const outcome = { session: socket.getSession(), isReused: socket.isSessionReused() };
          socket.once('close', () => resolve(outcome));
          socket.end();
        });
        socket.resume();
        socket.once('error', reject);
      },
    );
  const { session } = await open();
  return (await open(session)).isReused;
}

it.each([
  [{ resumption: false, tickets: false }, false],
  [{ resumption: true, tickets: false }, true],
  [{ resumption: false, tickets: true }, true],
])('resumes sessions with %o: %s', async (options, expected) => {
  await start(options);
  expect(await isResumed()).toBe(expected);
});

it('takes a new certificate for connections to come, and keeps those that are open', async () => {
  await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await callWith({ agent })).toMatchObject({ name: 'server.gannet.test' });
  server.renewTls({ ...material, ...identity('other') });
  expect(await callWith({ agent })).toMatchObject({ status: 200, name: 'server.gannet.test' });
  expect(await callWith({})).toMatchObject({ status: 200, name: 'other.gannet.test' });
  agent.destroy();
});
