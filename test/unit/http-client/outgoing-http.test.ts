/**
 * Outgoing requests over real sockets: redirects, time, size, credentials. Addresses that are refused:
 * forbidden-urls.test.ts.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingError } from '../../../src/http-client/outgoing-error.ts';
import { OutgoingHttp, type OutgoingRequest } from '../../../src/http-client/outgoing-http.ts';
import { redirectOf } from '../../../src/http-client/redirect.ts';
import { PATIENCE_MS } from '../../support/until.ts';

type Lookup = NonNullable<NonNullable<ConstructorParameters<typeof OutgoingHttp>[1]>['lookup']>;

const open: (Server | OutgoingHttp)[] = [];
afterEach(() => {
  for (const item of open.splice(0)) {
    if (!(item instanceof OutgoingHttp)) item.closeAllConnections();
    item.close();
  }
});

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

function client(networks: readonly string[], lookup?: Lookup): OutgoingHttp {
  const http = new OutgoingHttp(new AddressPolicy(networks), lookup && { lookup });
  open.push(http);
  return http;
}

const get = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'GET',
  url,
  headers: {},
  timeoutMs: PATIENCE_MS,
  answerBytesMax: 1000,
  ...more,
});

const failureOf = async (sent: Promise<unknown>): Promise<string> => {
  const error = await sent.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof OutgoingError ? error.failure : `no OutgoingError: ${String(error)}`;
};

/** A resolver that returns one address for every name. */
const resolvesTo =
  (...addresses: readonly string[]): Lookup =>
  (_, __, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('addresses', () => {
  it('in allowed networks are reached, by number, by name and mapped into IPv6', async () => {
    const url = await serve((request, response) => response.end(request.headers.host));
    const { port } = new URL(url);
    const { send } = client(['127.0.0.0/8'], resolvesTo('127.0.0.1'));
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'some.test']) {
      const answer = await send(get(`http://${host}:${port}/`));
      expect(answer.status, host).toBe(200);
    }
  });

  it('are looked up once: a name that changes between check and connection leads nowhere else', async () => {
    let lookups = 0;
    const url = await serve((_, response) => response.end('reached'));
    const rebinding: Lookup = (_, __, callback) => {
      lookups += 1;
      callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    const { send } = client(['127.0.0.1'], rebinding);
    const answer = await send(get(`http://rebinding.test:${new URL(url).port}/`));
    expect(answer.body.toString()).toBe('reached');
    expect(lookups).toBe(1);
  });

  it('of a name that has allowed and other ones: only the allowed are connected to', async () => {
    const url = await serve((_, response) => response.end('reached'));
    const { send } = client(['127.0.0.1'], resolvesTo('10.0.0.1', '127.0.0.1', '::1'));
    const answer = await send(get(`http://mixed.test:${new URL(url).port}/`));
    expect(answer.body.toString()).toBe('reached');
  });
});

describe('redirects', () => {
  it('to a name are looked up and checked again', async () => {
    const asked: string[] = [];
    const lookup: Lookup = (name, _, callback) => {
      asked.push(name);
      callback(null, [{ address: name === 'first.test' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    const url = await serve((_, response) => {
      response.writeHead(302, { location: 'http://second.test/' }).end();
    });
    const { send } = client(['127.0.0.1'], lookup);
    const { port } = new URL(url);
    expect(await failureOf(send(get(`http://first.test:${port}/`)))).toBe('refused');
    expect(asked).toEqual(['first.test', 'second.test']);
  });

  it.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'http://'])(
    'to %s are refused',
    async (location) => {
      const url = await serve((_, response) => void response.writeHead(302, { location }).end());
      expect(await failureOf(client(['any']).send(get(url)))).toBe('refused');
    },
  );

  it('keep method and body with 307, and leave credentials behind at another origin', async () => {
    const seen: unknown[] = [];
    const target = await serve((request, response) => {
      request.on('data', (body: Buffer) => {
        const { authorization, 'x-api-key': key, 'content-type': type } = request.headers;
        seen.push({ method: request.method, body: String(body), authorization, key, type });
        response.end();
      });
    });
    const first = await serve((_, response) => {
      response.writeHead(307, { location: `${target}/there` }).end();
    });
    const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'y', 'Content-Type': 'text/plain' };
    const { send } = client(['127.0.0.1']);
    const url = first.replace('//', '//me:secret@');
    await send(get(url, { method: 'POST', headers, body: Buffer.from('hello') }));
    expect(seen).toEqual([{ method: 'POST', body: 'hello', type: 'text/plain' }]);
  });

  it('of a POST that would make it a GET are handed back as they are', async () => {
    const url = await serve(
      (_, response) => void response.writeHead(302, { location: '/x' }).end(),
    );
    const answer = await client(['any']).send(get(url, { method: 'POST' }));
    expect(answer.status).toBe(302);
  });

  it.each(['http://other.example/', 'http://secure.example/'])(
    'from TLS to none are refused: %s',
    (location) => {
      const hop = { method: 'GET', url: new URL('https://secure.example/a'), headers: {} };
      expect(() => redirectOf(hop, 302, location)).toThrow(
        'https://secure.example redirects to `http:`.',
      );
      expect(
        redirectOf({ ...hop, url: new URL('http://secure.example/') }, 302, location)?.url.href,
      ).toBe(location);
    },
  );

  it('without end are aborted', async () => {
    const url = await serve((_, response) => void response.writeHead(302, { location: '/' }).end());
    expect(await failureOf(client(['any']).send(get(url)))).toBe('refused');
  });
});

describe('limits', () => {
  it('end a request whose answer does not come, or does not end, in time', async () => {
    const silent = await serve(() => {});
    const endless = await serve((_, response) => {
      response.write('x');
    });
    const { send } = client(['any']);
    const outcomes = await Promise.all(
      [silent, endless].map((url) => failureOf(send(get(url, { timeoutMs: 50 })))),
    );
    expect(outcomes).toEqual(['timeout', 'timeout']);
  });

  it('hold for the sum of all redirects', async () => {
    const url = await serve((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 40);
    });
    expect(await failureOf(client(['any']).send(get(url, { timeoutMs: 100 })))).toBe('timeout');
  });

  it('end an answer that is too long, announced or not', async () => {
    const url = await serve((request, response) => {
      const length = request.url === '/announced' ? { 'content-length': '1001' } : {};
      response.writeHead(200, length).end(Buffer.alloc(1001));
    });
    const { send } = client(['any']);
    expect(await failureOf(send(get(`${url}/announced`)))).toBe('tooLarge');
    expect(await failureOf(send(get(`${url}/chunked`)))).toBe('tooLarge');
    const enough = await send(get(url, { answerBytesMax: 1001 }));
    expect(enough.body.length).toBe(1001);
  });

  it('let the caller give up, before and while', async () => {
    const url = await serve(() => {});
    const { send } = client(['any']);
    const controller = new AbortController();
    const sent = failureOf(send(get(url, { signal: controller.signal })));
    setTimeout(() => controller.abort(), 20);
    expect(await sent).toBe('aborted');
    expect(await failureOf(send(get(url, { signal: AbortSignal.abort() })))).toBe('aborted');
  });
});

describe('failures', () => {
  it('tell a server that is not there and an answer that breaks off from refusals', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('x', () => response.destroy());
    });
    const { send } = client(['any']);
    expect(await failureOf(send(get(url)))).toBe('unreachable');
    expect(await failureOf(send(get('http://127.0.0.1:1/')))).toBe('unreachable');
  });

  it.each([{ 'bad name': 'x' }, { name: 'line\r\nInjected: yes' }])(
    'include headers that HTTP does not allow: %j',
    async (headers) => {
      const { send } = client(['any']);
      expect(await failureOf(send(get('http://127.0.0.1:1/', { headers })))).toBe('refused');
    },
  );

  it.each([
    ['is not allowed', []],
    ['does not answer', ['any']],
  ])('never show the address of a name that %s', async (_, networks) => {
    const { send } = new OutgoingHttp(new AddressPolicy(networks), {
      lookup: (_name, _options, callback) =>
        callback(null, [{ address: '127.99.88.77', family: 4 }]),
    });
    const sent = send(get('http://internal.example:1/'));
    await expect(sent).rejects.toThrow(/internal\.example/);
    await expect(sent).rejects.toThrow(/^(?!.*127\.99)/);
  });

  it('never show path, query or password of the target', async () => {
    const { send } = client(['any']);
    const sent = send(get('http://user:passw0rd@127.0.0.1:1/secret-path?key=secret'));
    await expect(sent).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });
});

it('sends user and password of the URL as basic authentication', async () => {
  const url = await serve((request, response) => response.end(request.headers.authorization));
  const answer = await client(['any']).send(get(url.replace('//', '//me:it%27s@')));
  expect(answer.body.toString()).toBe(`Basic ${Buffer.from("me:it's").toString('base64')}`);
});

it('sends the credentials in the headers rather than those in the URL', async () => {
  const url = await serve((request, response) => response.end(request.headers.authorization));
  const headers = { Authorization: 'Bearer x' };
  const answer = await client(['any']).send(get(url.replace('//', '//me:it@'), { headers }));
  expect(answer.body.toString()).toBe('Bearer x');
});

it('sends a stream as the body, from its begin again after a redirect', async () => {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    if (bodies.length === 1) response.writeHead(307, { location: '/next' });
    response.end();
  });
  const stream = async function* () {
    yield Buffer.from('two ');
    yield Buffer.from('parts');
  };
  const headers = { 'content-length': '9' };
  await client(['127.0.0.1']).send({ ...get(url), method: 'PUT', headers, stream });
  expect(bodies).toEqual(['two parts', 'two parts']);
});

it('uses connections again', async () => {
  const ports = new Set<unknown>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x');
  });
  const { send } = client(['127.0.0.1']);
  for (let i = 0; i < 5; i += 1) await send(get(url));
  expect(ports.size).toBeLessThan(5);
});

describe('open', () => {
  it('resolves with the head, and yields the body as it arrives', async () => {
    let finish = (): void => undefined;
    const url = await serve((_, response) => {
      response.writeHead(404).write('begun');
      finish = () => response.end('ended');
    });
    const { status, body } = await client(['any']).open(get(url));
    expect(status).toBe(404);
    expect(String((await body.next()).value)).toBe('begun');
    finish();
    expect(String((await body.next()).value)).toBe('ended');
    expect(await body.next()).toEqual({ done: true, value: undefined });
  });

  it('fails when nothing arrives for too long, before the head and after it', async () => {
    const silent = await serve(() => {});
    const stalled = await serve((_, response) => response.write('begun'));
    const { open, send } = client(['any']);
    expect(await failureOf(open(get(silent, { stallMs: 20 })))).toBe('timeout');
    const sent = send(get(`${stalled}/secret-path`, { stallMs: 20 }));
    await expect(sent).rejects.toThrow(`${stalled} has stopped answering.`);
    expect(await failureOf(sent)).toBe('timeout');
  });

  it('ends the request when the loop is left', async () => {
    let hasClosed = false;
    const url = await serve((_, response) => {
      response.once('close', () => {
        hasClosed = true;
      });
      response.write('begun');
    });
    const { body } = await client(['any']).open(get(url));
    for await (const chunk of body) {
      expect(String(chunk)).toBe('begun');
      break;
    }
    await expect.poll(() => hasClosed).toBe(true);
  });

  it('stays usable when bodies are left after the last byte', async () => {
    const url = await serve((_, response) => response.end('whole'));
    const { open } = client(['any']);
    for (let i = 0; i < 20; i += 1) {
      const { body } = await open(get(url));
      expect(String((await body.next()).value)).toBe('whole');
      await body.return(undefined);
    }
  });

  it('ends when the caller aborts between two chunks', async () => {
    const url = await serve((_, response) => response.write('begun'));
    const controller = new AbortController();
    const { body } = await client(['any']).open(get(url, { signal: controller.signal }));
    await body.next();
    controller.abort();
    expect(await failureOf(body.next())).toBe('aborted');
  });
});

it('returns the status alone if the rest does not matter, also of an answer that breaks off', async () => {
  const url = await serve((_, response) => {
    response.writeHead(202, { 'content-length': '10' });
    response.write('x', () => response.destroy());
  });
  const { status, body } = await client(['any']).send(get(url, { statusOnly: true }));
  expect([status, body.length]).toEqual([202, 0]);
});
