/** Objects that are read in parts: the memory that the parts take. */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('frees every part that has been read', async () => {
  // In a process of its own: a collection also frees what earlier tests of this process left.
  const contents = `
    import { sealedChunks } from './src/storage/object-store/sealed-objects.ts';
    const bytes = 200 << 20;
    const objects = {
      get: async (_, { start, end }) => Buffer.alloc(Math.min(end, bytes + 32) - start),
    };
    let most = 0;
    const read = async () => {
      for await (const chunk of sealedChunks(objects, 'key', bytes)) {
        gc();
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      }
    };
    const failed = await read().catch(({ message }) => message);
    console.log(JSON.stringify({ failed, most }));`;
  const stdin = { contents, resolveDir: process.cwd() };
  const bundle = { bundle: true, write: false, platform: 'node', format: 'esm' } as const;
  const { outputFiles } = await build({ stdin, ...bundle });
  const args = ['--expose-gc', '--input-type=module', '--eval', outputFiles[0]?.text ?? ''];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { failed, most } = JSON.parse(stdout) as { failed: string; most: number };
  expect(failed).toContain('its SHA-256 does not match');
  expect(most).toBeLessThan(80 << 20);
});
