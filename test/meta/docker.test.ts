/** The container files call only what exists: flags, variables, files, scripts, the port. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { schema } from '../../config/schema.ts';

interface Service {
  readonly profiles?: readonly string[];
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly build?: string;
}
const dockerfile = readFileSync('Dockerfile', 'utf8');
const compose = parse(readFileSync('docker-compose.yml', 'utf8')) as {
  services: Record<string, Service>;
};
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};
const built = Object.entries(compose.services).filter(([, service]) => service.build !== undefined);
const known = new Set(Object.values(schema).map(({ env }) => env));

describe('docker-compose.yml', () => {
  it.each(built)('starts %s with options that the server accepts', (name, { command }) => {
    const config = loadConfig({
      args: command,
      env: { SVC_DB_PATH: '/data', SVC_MASTER_KEY: '' },
      cwd: '/app',
    });
    expect(config.masterKey).toBeNull();
    expect(config.role).toBe(name);
    expect(config.indexerAddress).toBe('/data/indexer.sock');
  });

  it.each(Object.entries(compose.services))(
    'sets only variables of %s that exist',
    (_, { environment = {} }) => {
      for (const name of Object.keys(environment))
        if (name.startsWith('SVC_')) expect(known).toContain(name);
    },
  );

  it.each(['README.md', 'docker-compose.yml', 'CONTRIBUTING.md'])(
    'has the profiles that %s asks for',
    (file) => {
      const profiles = Object.values(compose.services).flatMap((service) => service.profiles ?? []);
      for (const [, name] of readFileSync(file, 'utf8').matchAll(/--profile (\S+)/g))
        expect(profiles).toContain(name);
    },
  );

  it('publishes the port that the front listens on', () => {
    const { command = [], ports = [] } = compose.services['front'] ?? {};
    const { http } = loadConfig({ args: command, env: {}, cwd: '/app' });
    expect(ports).toEqual([`${http.port}:${http.port}`]);
    expect(dockerfile).toContain(`EXPOSE ${http.port}`);
  });

  it('runs a load test that is in the tree', () => {
    const script = compose.services['load-test']?.command.at(-1) ?? '';
    expect(script.startsWith('/load-tests/')).toBe(true);
    expect(existsSync(`.${script}`)).toBe(true);
  });
});

describe('Dockerfile', () => {
  it('copies files and folders that exist', () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
      (list ?? '').split(' '),
    );
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) expect(existsSync(source), source).toBe(true);
  });

  it('calls scripts that exist and starts the main file', () => {
    for (const [, script] of dockerfile.matchAll(/npm run (\S+)/g))
      expect(Object.keys(scripts)).toContain(script);
    expect(dockerfile).toContain('ENTRYPOINT ["node", "dist/src/main.js"]');
    expect(existsSync('src/main.ts')).toBe(true);
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
