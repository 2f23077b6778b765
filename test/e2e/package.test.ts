/** The packed package after its installation: program, server for tests, types. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder } from '../support/test-server.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const folder = freshFolder();
const installed = join(folder, 'node_modules/gannet');

/** Dependencies are those of the checkout; what npm would install is in the lockfile. */
beforeAll(async () => {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components', '1']);
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(cleanUp);

describe('the packed package', () => {
  it('holds no sources, tests or secrets', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'LICENSE',
      'README.md',
      'config',
      'dist',
      'docs',
      'node_modules',
      'package.json',
      'scripts',
    ]);
  });

  it('brings the program', async () => {
    const program = join(installed, 'scripts/gannet.mjs');
    const { stdout } = await run(process.execPath, [program, '--help'], { cwd: folder });
    expect(stdout).toContain('gannet COMMAND');
    expect(existsSync(join(installed, 'dist/mcp/serve-mcp.js'))).toBe(true);
  });

  it('starts a server in the tests of others, and ends it', async () => {
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { createServer } from 'gannet';
const server = await createServer({ flags: ['--no-warm-up'] });
const health = await fetch(server.url + '/health');
console.log(await health.text());
const errors = await fetch(server.url + '/docs/errors');
console.log(errors.status, (await errors.text()).includes('id="index_not_found"'));
await server.stop();
console.log(await fetch(server.url + '/health').then(() => 'still there', () => 'gone'));
await createServer({ flags: ['--db-pth', 'x'] }).catch((error) => console.log(error.message));
`,
    );
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: folder });
    const [health, documentation, after, complaint] = stdout.split('\n');
    expect(health).toBe('{"status":"available"}');
    expect(documentation).toBe('200 true');
    expect(after).toBe('gone');
    expect(complaint).toContain('did you mean `--db-path`?');
  });

  it('has types that a strict project takes', async () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createServer, type CreatedServer } from 'gannet';
export const server: Promise<CreatedServer> = createServer({ masterKey: 'x', flags: [] });
// @ts-expect-error there is no such option
void createServer({ masterkey: 'x' });
`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext'];
    await run(process.execPath, [tsc, ...flags, 'use.ts'], { cwd: folder });
  });
});
