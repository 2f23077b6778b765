/** A real server with TLS: its options, its files, its banner, and their renewal by SIGHUP. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const FILES = resolve('test/fixtures/tls');
const folder = freshFolder();
const [cert, key, ocsp] = [join(folder, 'cert.pem'), join(folder, 'key.pem'), join(folder, 'ocsp')];
const file = (name: string) => readFileSync(join(FILES, name));
const install = (name: string) => {
  copyFileSync(join(FILES, `${name}.pem`), cert);
  copyFileSync(join(FILES, `${name}.key`), key);
};
let server: TestServer;

beforeAll(async () => {
  install('server');
  writeFileSync(ocsp, 'what the authority says');
  server = await TestServer.start({
    flags: [
      ...['--ssl-cert-path', cert, '--ssl-key-path', key, '--ssl-ocsp-path', ocsp],
      ...['--ssl-auth-path', join(FILES, 'ca.pem'), '--ssl-require-auth'],
      ...['--ssl-resumption', '--ssl-tickets'],
    ],
  });
});
afterAll(cleanUp);

const open = (own: object) => {
  const socket = connect({
    host: '127.0.0.1',
    servername: 'localhost',
    port: server.port,
    ca: file('ca.pem'),
    maxVersion: 'TLSv1.2' as const,
    ...own,
  });
  socket.resume();
  return socket;
};
const identity = () => ({ cert: file('client.pem'), key: file('client.key') });

/** Name in the certificate that the server shows. */
const shownName = (): Promise<string> =>
  new Promise((done, reject) => {
    const socket = open({ ...identity(), rejectUnauthorized: false, maxVersion: 'TLSv1.3' });
    socket.once('secureConnect', () => {
      done(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.once('error', reject);
  });

it('requires a certificate of clients', async () => {
  const outcome = (own: object) =>
    new Promise<string>((done) => {
      const socket = open(own);
      socket.once('error', () => done('refused'));
      socket.once('close', () => done('refused'));
      socket.once('data', () => done('answered'));
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    });
  expect(await outcome({})).toBe('refused');
  expect(await outcome(identity())).toBe('answered');
});

it('sends the OCSP response and tickets, and resumes sessions', async () => {
  const [stapled, session] = await new Promise<[Buffer, Buffer]>((done, fail) => {
    let response: Buffer;
    const socket = open({ ...identity(), requestOCSP: true });
    socket.once('OCSPResponse', (bytes) => {
      response = bytes;
    });
    socket.once('secureConnect', () => {
      expect(socket.getTLSTicket()).toBeInstanceOf(Buffer);
      const kept = socket.getSession();
      socket.once('close', () => done([response, kept as Buffer]));
      socket.end();
    });
    socket.once('error', fail);
  });
  expect(String(stapled)).toBe('what the authority says');
  const isReused = await new Promise<boolean>((done, fail) => {
    const socket = open({ ...identity(), session });
    socket.once('secureConnect', () => {
      done(socket.isSessionReused());
      socket.destroy();
    });
    socket.once('error', fail);
  });
  expect(isReused).toBe(true);
});

it('takes certificates that have been renewed when it gets SIGHUP', async () => {
  expect(server.stdout).toContain(`https://127.0.0.1:${server.port}`);
  expect(await shownName()).toBe('server.gannet.test');
  install('other');
  server.signal('SIGHUP');
  await until('renewed certificate', async () =>
    (await shownName()) === 'other.gannet.test' ? true : null,
  );
  copyFileSync(join(FILES, 'client.key'), key);
  server.signal('SIGHUP');
  await until('line about the key', () =>
    server.stderr.includes('the TLS files could not be reloaded') ? true : null,
  );
  expect(await shownName()).toBe('other.gannet.test');
  expect((await server.stop()).code).toBe(0);
});

it('ends a start with files that do not go together with one line', async () => {
  const flags = ['--ssl-cert-path', join(FILES, 'server.pem')];
  flags.push('--ssl-key-path', join(FILES, 'other.key'));
  const refused = new TestServer(await freePort(), join(freshFolder(), 'data'), { flags });
  const { code, stderr } = await refused.exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/gannet: TLS cannot use .*server\.pem, .*other\.key: /);
});
