/** The files that start several servers on one object store call only what exists. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { schema } from '../../config/option-table.ts';
import { routes } from '../../src/api/routes/index.ts';
import { STOP_GRACE_MS } from '../../src/runtime/host-role.ts';
import { parseStoreUrl } from '../../src/storage/object-store/store-url.ts';
import { composeServices, dockerImage } from '../support/container-files.ts';

const image = dockerImage();
const known = new Set(Object.values(schema).map(({ env }) => env));
const KEY = 'a key of more than 16 bytes';
const configOf = (env: Readonly<Record<string, string>>) => {
  for (const name of Object.keys(env)) if (name.startsWith('SVC_')) expect(known).toContain(name);
  return loadConfig({ args: [], env: { ...image.env, ...env }, cwd: '/app' });
};

describe('docker-compose.cluster.yml', () => {
  const variables = { SVC_MASTER_KEY: KEY, STORE_SECRET: 'a secret' };
  const services = composeServices(variables, 'docker-compose.cluster.yml');

  it.each([
    ['node', 'all'],
    ['reader', 'reader'],
  ])('starts %s with options that the server accepts', (name, role) => {
    const { environment = {}, build, volumes } = services[name] ?? {};
    const config = configOf(environment);
    expect([config.role, config.env, config.masterKey]).toEqual([role, 'production', KEY]);
    const store = parseStoreUrl(config.store ?? '', environment);
    expect(store).toMatchObject({ kind: 's3', bucket: 'gannet' });
    expect(services).toHaveProperty(
      new URL(environment['SVC_STORE'] ?? '').searchParams.get('endpoint')?.split(/[/:]+/)[1] ?? '',
    );
    expect(build).toMatchObject({ args: { STORE: '1' } });
    expect(readFileSync('Dockerfile', 'utf8')).toContain('ARG STORE=');
    // Nodes share nothing but the store.
    expect(volumes).toBeUndefined();
  });

  it('lets the balancer find every node', () => {
    for (const name of ['node', 'reader'])
      expect(services[name]?.networks?.default.aliases).toEqual(['front']);
    const balancer = readFileSync('config/containers/haproxy.cfg', 'utf8');
    expect(balancer).toContain('server-template front 10 front:7700');
  });

  it('insists on its secrets, and limits the memory of every service', () => {
    for (const name of Object.keys(variables)) {
      const others = Object.entries(variables).filter(([other]) => other !== name);
      expect(() =>
        composeServices(Object.fromEntries(others), 'docker-compose.cluster.yml'),
      ).toThrow(`${name}: set it`);
    }
    for (const [name, { mem_limit }] of Object.entries(services))
      expect(mem_limit, name).toMatch(/^\d+[mg]$/);
  });
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}
interface Variable {
  readonly name: string;
  readonly value?: string;
}
interface Kubernetes {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly serviceName?: string;
    readonly replicas: number;
    readonly maxUnavailable?: number;
    readonly selector: Readonly<Record<string, unknown>> & {
      readonly matchLabels: Readonly<Record<string, string>>;
    };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly affinity: unknown;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          Readonly<Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>> & {
            readonly env: readonly Variable[];
            readonly ports: readonly { readonly containerPort: number }[];
          },
        ];
      };
    };
  };
}

const CHART = 'config/kubernetes/chart';

/** Output of `helm template` for the release `gannet`; null without the program `helm`. */
function rendered(...values: readonly string[]): string | null {
  const args = ['template', 'gannet', CHART, ...values.flatMap((value) => ['--set', value])];
  const { status, error, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
const text = rendered();

describe('the text of the chart', () => {
  const templates = readdirSync(`${CHART}/templates`).map((name) =>
    readFileSync(`${CHART}/templates/${name}`, 'utf8'),
  );
  const values = readFileSync(`${CHART}/values.yaml`, 'utf8');
  const { options } = parse(values) as { options: Readonly<Record<string, unknown>> };
  const all = templates.join('\n');

  it('has only variables and launch options of the server', () => {
    const names = [...`${all}${values}`.matchAll(/SVC_[A-Z_]+/g)];
    expect(names.length).toBeGreaterThan(5);
    for (const [name] of names) expect(known).toContain(name);
    for (const name of Object.keys(options)) expect(known).toContain(name);
  });

  it('probes routes that need no key, at the port of the image', () => {
    const probes = [...all.matchAll(/httpGet: \{ path: (\S+), port: (\d+) \}/g)];
    expect(probes.length).toBe(3);
    for (const [, path] of probes)
      expect(routes.find((each) => each.method === 'GET' && each.path === path)?.action).toBeNull();
    const ports = [...all.matchAll(/(?:[pP]ort: (?:\{ number: )?|nodes:)(\d+)/g)];
    expect(ports.length).toBeGreaterThan(6);
    for (const [, port] of ports) expect(image.env['SVC_HTTP_ADDR']).toBe(`0.0.0.0:${port}`);
  });

  it('gives a stopping server the time that it takes at most', () => {
    const { preStopSeconds, terminationGracePeriodSeconds } = parse(values) as Readonly<
      Record<string, number>
    >;
    const stopMs = STOP_GRACE_MS.front + STOP_GRACE_MS.indexer;
    expect(terminationGracePeriodSeconds).toBeGreaterThan((preStopSeconds ?? 0) + stopMs / 1000);
  });

  it('reads only values that values.yaml has, and all of them', () => {
    const paths = (value: unknown, prefix = ''): string[] =>
      Object.entries(value as object).flatMap(([key, each]: [string, unknown]) =>
        each !== null && typeof each === 'object' && Object.keys(each).length > 0
          ? [prefix + key, ...paths(each, `${prefix}${key}.`)]
          : [prefix + key],
      );
    const known = paths(parse(values));
    const used = [...all.matchAll(/(?:\.Values|\$values)\.([\w.]+)/g)].map(([, path]) => path);
    expect(used.length).toBeGreaterThan(15);
    for (const path of used) expect(known).toContain(path);
    for (const path of known.filter((each) => !/^(options|\w+\.resources)\./.test(each)))
      expect(all, path).toMatch(new RegExp(`\\.${path.split('.').at(-1)}\\b`));
  });

  it('has the version of the server', () => {
    const { version } = parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))).toMatchObject({
      appVersion: version,
    });
  });
});

describe.skipIf(text === null)('the rendered chart (skipped without the program helm)', () => {
  const objects = parseAllDocuments(text ?? '').map((document) => document.toJS() as Kubernetes);
  const named = (kind: string, name: string) => {
    const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const pods = [
    ['node', 'StatefulSet'],
    ['reader', 'Deployment'],
  ] as const;

  it.each(pods)('starts each %s with options that the server accepts', (part, kind) => {
    const { spec } = named(kind, `gannet-${part}`);
    const [{ env, ports }] = spec.template.spec.containers;
    const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const config = configOf({
      ...named('ConfigMap', 'gannet-cluster').data,
      ...Object.fromEntries(own),
      SVC_MASTER_KEY: KEY,
    });
    expect(config.role).toBe(part === 'reader' ? 'reader' : 'all');
    expect(config.storeCacheSize === null).toBe(part === 'node');
    expect(config.http.port).toBe(ports[0]?.containerPort);
    expect(parseStoreUrl(config.store ?? '', {}).kind).toBe('s3');
  });

  it.each(pods)('probes each %s by routes that need no key', (part, kind) => {
    const { spec } = named(kind, `gannet-${part}`);
    const [container] = spec.template.spec.containers;
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = container[name].httpGet;
      const route = routes.find((each) => each.method === 'GET' && each.path === path);
      expect([route?.action, port]).toEqual([null, 7700]);
    }
  });

  it.each(pods)('keeps one %s back, on machines of their own', (part, kind) => {
    const { spec } = named(kind, `gannet-${part}`);
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(JSON.stringify(spec.template.spec.affinity)).toContain(JSON.stringify(labels));
    const budget = named('PodDisruptionBudget', `gannet-${part}`);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    expect(budget.spec.maxUnavailable).toBeLessThan(spec.replicas);
  });

  it('names the nodes in a service that has them before they are ready', () => {
    const { spec } = named('StatefulSet', 'gannet-node');
    expect(named('Service', spec.serviceName ?? '').spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { app: 'gannet-cluster' },
    });
    const [{ env }] = spec.template.spec.containers;
    expect(env.find(({ name }) => name === 'SVC_NODE_URL')?.value).toBe(
      `http://$(POD_NAME).${spec.serviceName}:7700`,
    );
    // A variable is only replaced if it stands before.
    expect(env.findIndex(({ name }) => name === 'POD_NAME')).toBe(0);
  });

  it('takes values for options, roles, an ingress and places', () => {
    const other = rendered(
      'options.SVC_SEARCH_TIMEOUT_SECONDS=1000000',
      'options.SVC_NO_WARM_UP=true',
      'serviceAccount.create=true',
      'serviceAccount.annotations.role=search',
      'ingress.enabled=true',
      'ingress.tlsSecret=certificate',
      'nodes.antiAffinity=preferred',
      'readers.storeCacheSize=',
      'tolerations[0].key=search',
    );
    const documents = parseAllDocuments(other ?? '').map((each) => each.toJS() as Kubernetes);
    const of = (kind: string) => documents.find((each) => each.kind === kind);
    expect(of('ConfigMap')?.data).toMatchObject({
      SVC_SEARCH_TIMEOUT_SECONDS: '1000000',
      SVC_NO_WARM_UP: 'true',
    });
    expect(of('ServiceAccount')?.metadata).toEqual({
      name: 'gannet',
      annotations: { role: 'search' },
    });
    expect(of('Ingress')?.spec).toMatchObject({
      tls: [{ hosts: ['search.example.com'], secretName: 'certificate' }],
    });
    expect(of('StatefulSet')?.spec.template.spec).toMatchObject({
      serviceAccountName: 'gannet',
      tolerations: [{ key: 'search' }],
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{}] } },
    });
    expect(JSON.stringify(of('Deployment'))).not.toContain('SVC_STORE_CACHE_SIZE');
    expect(() => rendered('store.url=/data')).toThrow('store.url');
    expect(() => rendered('options.store-cache-size=1')).toThrow('options');
    expect(() => rendered('readers.replica=1')).toThrow('replica');
  });
});
