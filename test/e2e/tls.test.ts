/** A real server with TLS: its files, its banner, and their renewal by SIGHUP. */
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const FILES = resolve('test/fixtures/tls');

/** Name in the certificate that the server shows. */
const shownName = (port: number): Promise<string> =>
  new Promise((done, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      done(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.once('error', reject);
  });

it('takes certificates that have been renewed when it gets SIGHUP', async () => {
  const folder = freshFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const install = (name: string) => {
    copyFileSync(join(FILES, `${name}.pem`), cert);
    copyFileSync(join(FILES, `${name}.key`), key);
  };
  install('server');
  const flags = ['--ssl-cert-path', cert, '--ssl-key-path', key];
  const server = await TestServer.start({ flags });
  expect(server.stdout).toContain(`https://127.0.0.1:${server.port}`);
  expect(await shownName(server.port)).toBe('server.gannet.test');
  install('other');
  server.signal('SIGHUP');
  await until('renewed certificate', async () =>
    (await shownName(server.port)) === 'other.gannet.test' ? true : null,
  );
  copyFileSync(join(FILES, 'client.key'), key);
  server.signal('SIGHUP');
  await until('line about the key', () =>
    server.stderr.includes('the TLS files could not be reloaded') ? true : null,
  );
  expect(await shownName(server.port)).toBe('other.gannet.test');
  expect((await server.stop()).code).toBe(0);
});

it('ends a start with files that do not go together with one line', async () => {
  const [cert, key] = [join(FILES, 'server.pem'), join(FILES, 'other.key')];
  const flags = ['--ssl-cert-path', cert, '--ssl-key-path', key];
  const server = new TestServer(await freePort(), join(freshFolder(), 'data'), { flags });
  const { code, stderr } = await server.exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/gannet: TLS cannot use .*server\.pem, .*other\.key: /);
});
