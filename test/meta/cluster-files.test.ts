/** The files that start several servers on one object store call only what exists. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { schema } from '../../config/option-table.ts';
import { routes } from '../../src/api/routes/index.ts';
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

describe('gannet-cluster.yaml', () => {
  const text = readFileSync('config/kubernetes/gannet-cluster.yaml', 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Kubernetes);
  const named = (kind: string, name: string) => {
    const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const pods = [
    ['node', named('StatefulSet', 'gannet-node')],
    ['reader', named('Deployment', 'gannet-reader')],
  ] as const;

  it.each(pods)('starts each %s with options that the server accepts', (part, { spec }) => {
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

  it.each(pods)('probes each %s by routes that need no key', (_, { spec }) => {
    const [container] = spec.template.spec.containers;
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = container[name].httpGet;
      const route = routes.find((each) => each.method === 'GET' && each.path === path);
      expect([route?.action, port]).toEqual([null, 7700]);
    }
  });

  it.each(pods)('keeps one %s back, on machines of their own', (part, { spec }) => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(JSON.stringify(spec.template.spec.affinity)).toContain(JSON.stringify(labels));
    const budget = named('PodDisruptionBudget', `gannet-${part}`);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    expect(budget.spec.maxUnavailable).toBeLessThan(spec.replicas);
  });

  it('names the nodes in a service that has them before they are ready', () => {
    const [, { spec }] = pods[0];
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
});
