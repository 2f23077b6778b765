/** The container files call only what exists: flags, variables, files, scripts, the port. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { schema } from '../../config/option-table.ts';
import { composeServices, dockerImage } from '../support/container-files.ts';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const image = dockerImage();
const services = composeServices({ SVC_MASTER_KEY: 'a key of more than 16 bytes' });
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};
const built = Object.entries(services).filter(([, service]) => service.build !== undefined);
const known = new Set(Object.values(schema).map(({ env }) => env));
const configOf = (environment: Readonly<Record<string, string>> = {}) =>
  loadConfig({ args: [], env: { ...image.env, ...environment }, cwd: '/app' });

describe('docker-compose.yml', () => {
  it.each(built)('starts %s with options that the server accepts', (name, { environment }) => {
    const config = configOf(environment);
    expect(config.role).toBe(name);
    expect(config.env).toBe('production');
    expect(config.indexerAddress).toBe('/data/indexer.sock');
    for (const folder of [config.dbPath, config.dumpDir, config.snapshotDir])
      expect(folder).toMatch(/^\/data/);
  });

  it.each(built)('gives %s no more than it needs', (_, service) => {
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['data:/data'],
    });
    expect(service.environment).not.toHaveProperty('SVC_QUERY_THREADS');
    expect(service.environment).not.toHaveProperty('SVC_MAX_INDEXING_THREADS');
  });

  it('insists on a master key, and limits the memory of whatever stays up', () => {
    expect(() => composeServices({})).toThrow(/SVC_MASTER_KEY: set it/);
    for (const [name, { mem_limit, command }] of Object.entries(services))
      if (command === undefined) expect(mem_limit, name).toMatch(/^\d+[mg]$/);
  });

  it.each(Object.entries(services))(
    'sets only variables of %s that exist',
    (_, { environment = {} }) => {
      for (const name of Object.keys(environment))
        if (name.startsWith('SVC_')) expect(known).toContain(name);
    },
  );

  it.each(['README.md', 'docker-compose.yml', 'CONTRIBUTING.md', 'docs/deployment.md'])(
    'has the profiles that %s asks for',
    (file) => {
      const profiles = Object.values(services).flatMap((service) => service.profiles ?? []);
      for (const [, name] of readFileSync(file, 'utf8').matchAll(/--profile (\w+)/g))
        expect(profiles).toContain(name);
    },
  );

  it('lets fronts be several, behind a balancer that finds them and asks for their readiness', () => {
    const { http } = configOf(services['front']?.environment);
    expect(services['front']?.ports).toBeUndefined();
    expect(services['front']?.expose).toEqual([String(http.port)]);
    expect(services['balancer']?.ports).toEqual([`${http.port}:${http.port}`]);
    expect(dockerfile).toContain(`EXPOSE ${http.port}`);
    const balancer = readFileSync('config/containers/haproxy.cfg', 'utf8');
    expect(balancer).toContain(`server-template front 10 front:${http.port}`);
    expect(balancer).toContain('http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host ');
    expect(balancer).toContain(`bind :${http.port}`);
  });

  it('mounts files that are in the tree', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('.')),
    );
    expect(mounted.length).toBeGreaterThan(6);
    for (const path of mounted) expect(existsSync(path), path).toBe(true);
  });

  it('runs a load test that is in the tree', () => {
    const script = services['load-test']?.command?.at(-1) ?? '';
    expect(script.startsWith('/load-tests/')).toBe(true);
    expect(existsSync(`.${script}`)).toBe(true);
  });

  it('lets Prometheus ask a service that exists, and Grafana Prometheus', () => {
    const prometheus = parse(readFileSync('config/monitoring/prometheus.yml', 'utf8')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = prometheus.scrape_configs.flatMap(({ static_configs }) =>
      static_configs.flatMap(({ targets }) => targets),
    );
    const { datasources } = parse(
      readFileSync('config/monitoring/grafana-provisioning.yml', 'utf8'),
    ) as { datasources: { url: string }[] };
    const hosts = [...targets, ...datasources.map(({ url }) => new URL(url).host)];
    for (const host of hosts) expect(Object.keys(services)).toContain(host.split(':')[0]);
  });
});

describe('gannet.service', () => {
  const unit = readFileSync('config/systemd/gannet.service', 'utf8');
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts what the image starts, with options that the server accepts', () => {
    expect(value('ExecStart').split(' ').slice(1)).toEqual(
      image.entrypoint.slice(1).map((path) => `/opt/gannet/${path}`),
    );
    const env = Object.fromEntries(
      value('Environment')
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    );
    const config = configOf({ ...env, SVC_MASTER_KEY: 'a key of more than 16 bytes' });
    expect(config.env).toBe('production');
    expect(config.dbPath).toBe(`/var/lib/${value('StateDirectory')}/data`);
  });

  it('says nothing that systemd does not understand', () => {
    const { status, error, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', 'config/systemd/gannet.service'],
      { encoding: 'utf8' },
    );
    if (error !== undefined) return;
    // The machine of the tests has no such program, and perhaps no running systemd.
    const complaints = stderr
      .split('\n')
      .filter((line) => line.includes('gannet.service:') && !line.includes('is not executable'));
    expect({ status, complaints }).toMatchObject({ complaints: [] });
  });
});

describe('Dockerfile', () => {
  it('installs the version of SlateDB that the server is made for, as the documentation does', () => {
    const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      peerDependencies: Record<string, string>;
    };
    const [version] = /\d+\.\d+/.exec(peerDependencies['@slatedb/uniffi'] ?? '') ?? [];
    for (const text of [dockerfile, readFileSync('docs/object-storage.md', 'utf8')])
      expect(text).toMatch(new RegExp(`@slatedb/uniffi@${version}$`, 'm'));
  });

  it('copies files and folders that exist', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
      (list ?? '').split(' '),
    );
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) expect(existsSync(source), source).toBe(true);
  });

  it('copies all that the copied sources import', () => {
    const [build = ''] = dockerfile.split(/^FROM .* AS packages$/m);
    const copied = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, list]) =>
      (list ?? '').split(' '),
    );
    const sources = copied
      .filter((path) => statSync(path).isDirectory())
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(tsx?|mjs)$/.test(file))
          .map((file) => join(folder, file)),
      );
    const outside = sources.flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /^(?:import|export|\} from).*? ?'(\.[^']+\.(?:tsx?|mjs))'/gm,
        ),
      ]
        .map(([, target = '']) => normalize(join(dirname(file), target)))
        .filter((path) => !copied.some((own) => path === own || path.startsWith(`${own}/`)))
        .map((path) => `${file} imports ${path}`),
    );
    expect(sources.length).toBeGreaterThan(300);
    expect(outside).toEqual([]);
  });

  it('calls scripts that exist and starts the main file', () => {
    for (const [, script] of dockerfile.matchAll(/npm run (\S+)/g))
      expect(Object.keys(scripts)).toContain(script);
    expect(image.entrypoint).toEqual(['node', 'dist/src/main.js']);
    expect(existsSync('src/main.ts')).toBe(true);
    expect(image.healthCheck).toEqual(['node', 'dist/scripts/health-check.js']);
    expect(existsSync('scripts/health-check.ts')).toBe(true);
    expect(dockerfile).toContain('RUN node scripts/prune-packages.mjs .');
  });

  it('runs as a user without rights', () => {
    expect(image.user).toBe('node');
  });

  it('sets only variables that exist', () => {
    for (const [name] of dockerfile.matchAll(/SVC_[A-Z_]+/g)) expect(known).toContain(name);
  });
});

describe('package.json', () => {
  it('calls plain scripts that exist', () => {
    for (const command of Object.values(scripts)) {
      for (const [, file] of command.matchAll(/node (scripts\/\S+)/g))
        expect(existsSync(file ?? ''), command).toBe(true);
    }
  });

  it('calls built scripts whose source exists', () => {
    for (const command of Object.values(scripts)) {
      for (const [, file] of command.matchAll(/node dist\/(\S+)\.js/g))
        expect(existsSync(`${file}.ts`), command).toBe(true);
    }
  });
});
