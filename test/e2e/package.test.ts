/** The packages of a release, installed by npm: size, warnings, program, server for tests, types. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder } from '../support/test-server.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const PLATFORM = `${process.platform}-${process.arch}`;
const SIZE_MAX = 45e6;
const folder = freshFolder();
const packages = join(folder, 'node_modules');
const installed = join(packages, `gannet-${PLATFORM}`);
const program = join(packages, 'gannet/gannet.mjs');
let warnings = '';

const filesUnder = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

/** Offline: all that an installation needs is in the two files. */
beforeAll(async () => {
  await run(process.execPath, ['scripts/pack.mjs', folder], { cwd: ROOT });
  const archives = readdirSync(folder).map((name) => `./${name}`);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { stderr } = await run('npm', ['install', '--offline', ...archives], { cwd: folder });
  warnings = stderr;
}, 300_000);
afterAll(cleanUp);

/** German, Chinese and Turkish words come from packages that load with their first text. */
const USE = `import { createServer } from 'gannet';
const dbPath = ${JSON.stringify(join(folder, 'data'))};
const server = await createServer({ dbPath, flags: ['--no-warm-up'] });
const ask = (path, body) =>
  fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
console.log(await (await ask('/health')).text());
const errors = await ask('/docs/errors');
console.log(errors.status, (await errors.text()).includes('id="index_not_found"'));
await fetch(server.url + '/indexes/a/settings', {
  method: 'PATCH',
  body: '{"localizedAttributes":[{"attributePatterns":["german"],"locales":["deu"]},{"attributePatterns":["turkish"],"locales":["tur"]}],"rankingRules":["words"]}',
  headers: { 'content-type': 'application/json' },
});
await ask('/indexes/a/documents', [
  { id: 1, german: 'Das Dampfschiff legt an' },
  { id: 2, text: '我们在图书馆学习数据库' },
  { id: 3, turkish: 'Kitaplar masada' },
]);
for (;;) {
  const { status } = await (await ask('/tasks/1')).json();
  if (status === 'succeeded') break;
  if (status === 'failed') throw new Error('the task failed');
}
const counts = [];
for (const q of ['schiff', '图书馆', 'kitaplar'])
  counts.push((await (await ask('/indexes/a/search', { q })).json()).hits.length);
console.log(...counts);
await server.stop();
console.log(await fetch(server.url + '/health').then(() => 'still there', () => 'gone'));
await createServer({ flags: ['--db-pth', 'x'] }).catch((error) => console.log(error.message));
`;

describe('the packages', () => {
  it('install 45 MB or less, as two packages, without a warning', () => {
    expect(readdirSync(packages).filter((name) => !name.startsWith('.'))).toEqual([
      'gannet',
      `gannet-${PLATFORM}`,
    ]);
    const bytes = filesUnder(packages).reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThan(SIZE_MAX);
    expect(warnings).toBe('');
  });

  it('give npm no reason to warn on Node 20, 22 and 24', () => {
    const descriptions = filesUnder(packages).filter((path) => /[\\/]package\.json$/.test(path));
    const { engines } = readJson(join(ROOT, 'package.json'));
    expect(engines).toEqual({ node: '>=20.18.1' });
    for (const path of descriptions) {
      const description = readJson(path);
      expect(description['scripts'], path).toBeUndefined();
      expect([undefined, engines], path).toContainEqual(description['engines']);
    }
  });

  it('hold the binaries of Node 20 and 22 for this platform, no sources, no tests', () => {
    const natives = filesUnder(installed).filter((path) => path.endsWith('.node'));
    expect(natives.filter((path) => path.includes('uWebSockets')).length).toBeLessThanOrEqual(2);
    expect(natives.filter((path) => path.includes('rocksdb'))).toHaveLength(1);
    expect(readdirSync(installed).sort()).toEqual([
      'LICENSE',
      'dist',
      'node_modules',
      'package.json',
    ]);
    const { license } = readJson(join(ROOT, 'package.json'));
    expect(readJson(join(installed, 'package.json'))['license']).toBe(license);
  });

  it('bring the program with all commands', async () => {
    const { stdout } = await run(process.execPath, [program, '--help'], { cwd: folder });
    expect(stdout).toContain('gannet COMMAND');
    const version = await run(process.execPath, [program, '--version']);
    expect(version.stdout.trim()).toBe(readJson(join(ROOT, 'package.json'))['version']);
    expect(existsSync(join(installed, 'dist/mcp/serve-stdio.js'))).toBe(true);
  });

  it('name the missing package where npm left out the one of the platform', async () => {
    const alone = join(folder, 'alone');
    cpSync(join(packages, 'gannet'), alone, { recursive: true });
    const moved = `${installed}-moved`;
    renameSync(installed, moved);
    try {
      const refused = run(process.execPath, [join(alone, 'gannet.mjs'), '--help']);
      await expect(refused).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`the package gannet-${PLATFORM} is not installed`),
      });
    } finally {
      renameSync(moved, installed);
    }
  });

  it('leave out OpenTelemetry, and name its packages when an option needs them', async () => {
    expect(existsSync(join(packages, '@opentelemetry'))).toBe(false);
    const address = ['--db-path', join(folder, 'traced'), '--http-addr', '127.0.0.1:0'];
    const flags = [...address, '--otlp-url', 'http://127.0.0.1:9'];
    await expect(run(process.execPath, [program, 'serve', ...flags])).rejects.toMatchObject({
      stderr: expect.stringContaining('`npm install --no-save @opentelemetry/api '),
    });
  });

  it('start a server in the tests of others, and end it', async () => {
    writeFileSync(join(folder, 'use.mjs'), USE);
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: folder });
    const [health, documentation, found, after, complaint] = stdout.split('\n');
    expect(health).toBe('{"status":"available"}');
    expect(documentation).toBe('200 true');
    expect(found).toBe('1 1 1');
    expect(after).toBe('gone');
    expect(complaint).toContain('did you mean `--db-path`?');
    const checked = await run(process.execPath, [program, 'verify', join(folder, 'data')]);
    expect(checked.stdout).toContain('sound');
  });

  it('hold the programs that commands load, of which `move` names the package that it needs', async () => {
    const { ownEntries } = (await import(
      pathToFileURL(join(installed, 'dist/src/cli/own-entries.js')).href
    )) as { ownEntries: Readonly<Record<string, URL>> };
    for (const entry of Object.values(ownEntries)) expect(existsSync(entry), entry.href).toBe(true);
    const store = pathToFileURL(join(folder, 'store')).href;
    const moved = run(process.execPath, [program, 'move', join(folder, 'data'), store]);
    await expect(moved).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /gannet: an object store needs SlateDB, which is not installed; run `npm install .*`\n$/,
      ),
    });
  });

  it('have types that a strict project takes', async () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createServer, type CreatedServer } from 'gannet';
export const server: Promise<CreatedServer> = createServer({ masterKey: 'x', flags: [] });
// @ts-expect-error there is no such option
void createServer({ masterkey: 'x' });
`,
    );
    const tsc = join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext'];
    await run(process.execPath, [tsc, ...flags, 'use.ts'], { cwd: folder });
  });
});
