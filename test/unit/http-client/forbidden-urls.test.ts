/**
 * Hundreds of spellings, redirects and resolutions of private addresses: no request reaches the
 * server that listens there.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingError } from '../../../src/http-client/outgoing-error.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';

const servers: Server[] = [];
let reached = 0;
let port = 0;
let redirectPort = 0;
/** Where the redirecting server leads to. */
let location = '';

const listen = (server: Server, host: string, at = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    servers.push(server);
    server.once('error', reject);
    server.listen(at, host, () => resolve((server.address() as AddressInfo).port));
  });

const count = () =>
  createServer((_, response) => {
    reached++;
    response.end('secret');
  });

beforeAll(async () => {
  port = await listen(count(), '127.0.0.1');
  await listen(count(), '::1', port).catch(() => 'no IPv6 here');
  redirectPort = await listen(
    createServer((_, response) => response.writeHead(307, { location }).end()),
    '127.0.0.2',
  );
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** Private and special addresses, as four numbers. */
const TARGETS = [
  ...['127.0.0.1', '127.1.2.3', '10.0.0.1', '10.255.255.254', '172.16.0.1', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '192.0.0.8', '198.18.0.1', '224.0.0.1'],
  ...['255.255.255.255', '203.0.113.7'],
];

/** An IPv4 address in all the forms that URLs know, and in some that they do not. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const octal = (n: number) => `0${n.toString(8)}`;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const group = (n: number) => n.toString(16);
  const [high, low] = [group(a * 256 + b), group(c * 256 + d)];
  return [
    address,
    `${address}.`,
    String(number),
    octal(number),
    hex(number),
    hex(number).toUpperCase().replace('0X', '0x'),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${octal(a)}.${hex(b)}.${c}.${d}`,
    `${a}.${b * 2 ** 16 + c * 2 ** 8 + d}`,
    `${a}.${b}.${c * 2 ** 8 + d}`,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    [...address].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
    [...address].map((char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)).join(''),
    [...address].map((char) => (char === '.' ? '.' : `%3${char}`)).join(''),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[::${address}]`,
    `[0064:ff9b:0:0:0:0:${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `user:password@${address}`,
    `public.example@${address}`,
    `public.example%2f@${address}`,
  ];
}

const V6 = ['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[fd00::1]', '[ff02::1]', '[2001:db8::1]'];

/** Everything but the path. */
const forbidden = (): string[] => [
  ...TARGETS.flatMap(spellings).map((host) => `http://${host}:${port}`),
  ...V6.flatMap((host) => [`http://${host}:${port}`, `https://${host}:${port}`]),
  ...['file:///etc/passwd', 'gopher://127.0.0.1', 'ftp://127.0.0.1', 'unix:/var/run/docker.sock'],
  ...['data:text/plain,x', 'javascript:1', '//127.0.0.1', 'http:', '', 'http://'],
  ...[`dict://127.0.0.1:${port}`, 'ws://127.0.0.1/', 'blob:http://127.0.0.1/x', 'http://[::1'],
  ...['http:127.0.0.1', 'http:\\\\127.0.0.1\\', 'http://\t127.0.0.1/', ' http://127.0.0.1/'],
];

async function failureOf(http: OutgoingHttp, url: string): Promise<string> {
  try {
    await http.send({ method: 'GET', url, headers: {}, timeoutMs: 5000, answerBytesMax: 100 });
    return 'answered';
  } catch (error) {
    return error instanceof OutgoingError ? error.failure : String(error);
  }
}

it('in the URL', async () => {
  const http = new OutgoingHttp(new AddressPolicy([]));
  const urls = forbidden();
  expect(urls.length).toBeGreaterThan(300);
  for (const url of urls) expect([url, await failureOf(http, url)]).toEqual([url, 'refused']);
  expect(reached).toBe(0);
  http.close();
});

it('in a redirect', async () => {
  const http = new OutgoingHttp(new AddressPolicy(['127.0.0.2']));
  const start = `http://127.0.0.2:${redirectPort}`;
  for (const url of forbidden().filter((each) => /^https?:\/\/[\x21-\x7e]+:\d+$/.test(each))) {
    location = `${url}/latest/meta-data`;
    expect([url, await failureOf(http, start)]).toEqual([url, 'refused']);
  }
  location = start;
  expect(await failureOf(http, start)).toBe('refused');
  expect(reached).toBe(0);
  http.close();
});

it('behind a name, whatever it resolves to at the next look', async () => {
  const answers = [
    ...TARGETS.map((address) => [{ address, family: 4 }]),
    ...V6.map((address) => [{ address: address.slice(1, -1), family: 6 }]),
  ];
  for (const answer of answers) {
    let looks = 0;
    const http = new OutgoingHttp(new AddressPolicy([]), {
      lookup: (_name, _options, callback) => {
        looks++;
        callback(null, answer);
      },
    });
    const url = `http://${answer[0]?.address.replaceAll(/[:.]/g, '-')}.nip.example:${port}`;
    expect([url, await failureOf(http, url)]).toEqual([url, 'refused']);
    expect(looks).toBe(1);
    http.close();
  }
  expect(reached).toBe(0);
});

it('behind a name that changes between the look and the connection', async () => {
  let looks = 0;
  const http = new OutgoingHttp(new AddressPolicy(['127.0.0.2']), {
    lookup: (_name, _options, callback) => {
      looks++;
      const address = looks % 2 === 1 ? '127.0.0.2' : '127.0.0.1';
      callback(null, [{ address, family: 4 }]);
    },
  });
  location = '/again';
  expect(await failureOf(http, `http://rebinding.example:${redirectPort}`)).toBe('refused');
  for (let i = 0; i < 20; i++) await failureOf(http, `http://rebinding.example:${port}`);
  expect(reached).toBe(0);
  http.close();
});
