/**
 * The containers without Docker: the packages of the image after pruning, and the services of
 * docker-compose.yml as processes of this machine, three fronts behind a balancer.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prunePackages } from '../../scripts/prune-packages.mjs';
import { composeServices, dockerImage } from '../support/container-files.ts';
import { freePort } from '../support/free-port.ts';
import { httpCall, sendJson } from '../support/http-request.ts';
import { RoundRobin } from '../support/round-robin.ts';
import { cleanUp, freshFolder, ServerProcess } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const MASTER_KEY = 'a key of more than 16 bytes';
const image = dockerImage();
const services = composeServices({ SVC_MASTER_KEY: MASTER_KEY });
const [program = '', ...entry] = image.entrypoint;

/** Variables of a container, with its folder and port on this machine; small and cold. */
function environmentOf(service: string, folder: string, port: number): Record<string, string> {
  const given = { ...image.env, ...services[service]?.environment };
  const moved = Object.entries(given).map(([name, value]) => [
    name,
    value.replace(/^\/data/, folder).replace(/^0\.0\.0\.0:7700$/, `127.0.0.1:${port}`),
  ]);
  const small = { SVC_QUERY_THREADS: '1', SVC_MAX_INDEXING_THREADS: '1', SVC_NO_WARM_UP: 'true' };
  return { ...Object.fromEntries(moved), ...small };
}

const isHealthy = (cwd: string, env: Record<string, string>): boolean =>
  spawnSync(process.execPath, image.healthCheck.slice(1), { cwd, env, stdio: 'ignore' }).status ===
  0;

afterAll(cleanUp);

describe('the packages of the image', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(resolve('node_modules/.image-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** What `npm ci --omit=dev` installs, without copying it. */
  function linkProductionPackages(): void {
    const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
    };
    const installed = Object.entries(packages).filter(([path, { dev, devOptional }]) => {
      const isNested = path.split('node_modules/').length > 2;
      return !isNested && dev !== true && devOptional !== true;
    });
    for (const [path] of installed) linkFolder(path, join(root, path));
  }

  function linkFolder(from: string, to: string): void {
    mkdirSync(to, { recursive: true });
    for (const found of readdirSync(from, { withFileTypes: true })) {
      const [source, target] = [join(from, found.name), join(to, found.name)];
      if (found.isDirectory()) linkFolder(source, target);
      else if (found.isFile()) linkSync(source, target);
    }
  }

  it('are enough for a server, which its health check finds alive', async () => {
    linkProductionPackages();
    expect(prunePackages(root)).toBeGreaterThan(200e6);
    linkFolder('dist', join(root, 'dist'));
    cpSync('package.json', join(root, 'package.json'));
    expect(program).toBe('node');
    const port = await freePort();
    const env = {
      ...environmentOf('front', freshFolder(), port),
      SVC_ROLE: 'all',
      SVC_MASTER_KEY: MASTER_KEY,
    };
    expect(isHealthy(root, env)).toBe(false);
    const server = spawn(process.execPath, entry, { cwd: root, env, stdio: 'ignore' });
    try {
      await until('the server to answer', () =>
        httpCall(port, 'GET', '/health').then(
          () => true,
          () => null,
        ),
      );
      expect(isHealthy(root, env)).toBe(true);
      const headers = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
      const body = '[{"id":1,"title":"Écoles françaises"}]';
      const { json } = await httpCall(port, 'POST', '/indexes/a/documents', { headers, body });
      const { taskUid } = json as { taskUid: number };
      await until('the document to be indexed', async () => {
        const task = (await httpCall(port, 'GET', `/tasks/${taskUid}`, { headers })).json;
        return (task as { status: string }).status === 'succeeded' ? true : null;
      });
      const search = { headers, body: '{"q":"ecole"}' };
      const found = (await httpCall(port, 'POST', '/indexes/a/search', search)).json;
      expect(found).toMatchObject({ hits: [{ id: 1 }] });
    } finally {
      const ended = new Promise((done) => server.once('exit', done));
      server.kill('SIGTERM');
      await ended;
    }
  });
});

describe('three fronts and an indexer, as compose starts them', () => {
  const headers = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
  const folder = () => dataFolder;
  let dataFolder: string;
  let indexer: ServerProcess;
  let fronts: { readonly process: ServerProcess; readonly port: number }[];
  let balancer: RoundRobin;
  let port: number;

  const start = (service: string, ownPort: number): ServerProcess =>
    new ServerProcess(services[service]?.command ?? [], {
      env: environmentOf(service, folder(), ownPort),
    });
  const call = (to: number, method: string, path: string, value?: unknown) =>
    httpCall(to, method, path, value === undefined ? { headers } : { ...sendJson(value), headers });

  async function settled(taskUid: number): Promise<void> {
    await until(`task ${taskUid}`, async () => {
      const { json } = await call(port, 'GET', `/tasks/${taskUid}`);
      const { status, error } = json as { status: string; error: unknown };
      if (status === 'failed') throw new Error(JSON.stringify(error));
      return status === 'succeeded' ? true : null;
    });
  }

  const search = async (to: number, q: string): Promise<{ status: number; answer: unknown }> => {
    const { status, json } = await call(to, 'POST', '/indexes/films/search', {
      q,
      facets: ['year'],
      showRankingScore: true,
    });
    const {
      processingTimeMs: _,
      requestUid: _uid,
      ...answer
    } = (json ?? {}) as Record<string, unknown>;
    return { status, answer };
  };

  beforeAll(async () => {
    dataFolder = freshFolder();
    indexer = start('indexer', 0);
    await indexer.ready();
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    fronts = ports.map((own) => ({ process: start('front', own), port: own }));
    await Promise.all(fronts.map((front) => front.process.ready()));
    balancer = new RoundRobin(ports);
    port = await balancer.listen();
    const films = Array.from({ length: 500 }, (_, id) => ({
      id,
      title: `${['night', 'river', 'stone', 'garden'][id % 4]} of the ${['king', 'queen'][id % 2]} ${id}`,
      year: 1950 + (id % 60),
    }));
    const settings = { filterableAttributes: ['year'] };
    for (const [method, path, value] of [
      ['PATCH', '/indexes/films/settings', settings],
      ['POST', '/indexes/films/documents', films],
    ] as const) {
      const { status, json } = await call(port, method, path, value);
      expect(status).toBe(202);
      await settled((json as { taskUid: number }).taskUid);
    }
  });
  afterAll(async () => {
    await balancer.close();
  });

  it('finds each kind of service healthy by the command of the image', () => {
    const cwd = resolve('.');
    expect(isHealthy(cwd, environmentOf('indexer', folder(), 0))).toBe(true);
    const own = fronts[0]?.port ?? 0;
    expect(isHealthy(cwd, environmentOf('front', folder(), own))).toBe(true);
  });

  it('passes the check of the balancer, by the very bytes that it sends', async () => {
    const file = readFileSync('config/containers/haproxy.cfg', 'utf8');
    const check = /http-check send meth (\S+) uri (\S+) ver (\S+) hdr Host (\S+)/.exec(file);
    const [, method, path, version, host] = check ?? [];
    const status = file.match(/http-check expect status (\d+)/)?.[1];
    for (const front of fronts) {
      const socket = connect(front.port, '127.0.0.1');
      socket.end(`${method} ${path} ${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer.split('\r\n')[0]).toContain(`HTTP/1.1 ${status} `);
    }
  });

  it('answers alike on every front, to searches and to a key that was just made', async () => {
    for (const q of ['', 'n', 'rivr', 'stone king', 'garden -queen', '"night of"']) {
      const answers = await Promise.all(fronts.map((front) => search(front.port, q)));
      expect(answers[0]?.status).toBe(200);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
    const made = await call(port, 'POST', '/keys', {
      actions: ['search'],
      indexes: ['films'],
      expiresAt: null,
    });
    const authorization = `Bearer ${(made.json as { key: string }).key}`;
    for (const front of fronts) {
      const path = '/indexes/films/search';
      expect((await httpCall(front.port, 'GET', path, { headers: { authorization } })).status).toBe(
        200,
      );
    }
  });

  it('lets Prometheus scrape every front, as its configuration does', async () => {
    const { scrape_configs } = parse(readFileSync('config/monitoring/prometheus.yml', 'utf8')) as {
      scrape_configs: { metrics_path: string }[];
    };
    const path = scrape_configs[0]?.metrics_path ?? '';
    const right = { actions: ['metrics.get'], indexes: ['*'], expiresAt: null };
    const { key } = (await call(port, 'POST', '/keys', right)).json as { key: string };
    for (const front of fronts) {
      const scraped = await httpCall(front.port, 'GET', path, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect([scraped.status, scraped.text]).toEqual([
        200,
        expect.stringContaining('meilisearch_'),
      ]);
      expect(scraped.text).toContain('gannet_processes{process="indexer"} 1');
    }
  });

  it('loses no search when a front is killed under load', async () => {
    const SEARCHES = 400;
    let sent = 0;
    const statuses: number[] = [];
    const client = async (): Promise<void> => {
      while (sent < SEARCHES) {
        if (++sent === SEARCHES / 4) void fronts[0]?.process.killAll();
        statuses.push((await search(port, `river ${sent % 50}`)).status);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(statuses.length).toBeGreaterThanOrEqual(SEARCHES);
  });

  it('goes on reading without an indexer, refuses writes, and takes them again with a new one', async () => {
    await indexer.killAll();
    expect((await search(port, 'stone')).status).toBe(200);
    const added = [{ id: 1000, title: 'written after the indexer came back', year: 2000 }];
    const refused = await call(port, 'POST', '/indexes/films/documents', added);
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ code: 'indexer_unavailable' });
    expect((await search(port, 'stone')).status).toBe(200);
    indexer = start('indexer', 0);
    await indexer.ready();
    const taskUid = await until('a write to be taken again', async () => {
      const { status, json } = await call(port, 'POST', '/indexes/films/documents', added);
      return status === 202 ? (json as { taskUid: number }).taskUid : null;
    });
    await settled(taskUid);
    for (const front of fronts.slice(1))
      expect((await search(front.port, 'written after')).answer).toMatchObject({
        hits: [{ id: 1000 }],
      });
  });
});
