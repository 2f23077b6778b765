/** A local model that cannot be used does not keep its weights in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { LocalModel } from '../../../../src/embedding/local/local-model.ts';
import { StoredModel } from '../../../../src/storage/model-store.ts';
import { madeModelFiles, writeModel } from '../../../support/made-model.ts';

let open = 0;
const { InferenceSession } = createRequire(import.meta.url)('onnxruntime-web');
vi.spyOn(InferenceSession, 'create').mockImplementation(async () => {
  open += 1;
  const release = async () => {
    open -= 1;
  };
  return { inputNames: ['pixel_values'], release };
});

const root = mkdtempSync(join(tmpdir(), 'gannet-models-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ['asks for an input that is not known', {}, 'the model asks for `pixel_values`'],
  [
    'pools in a way that is not known',
    { '1_Pooling/config.json': Buffer.from('{}') },
    'the model pools neither',
  ],
])('%s', async (_, files, message) => {
  writeModel(join(root, 'made/model'), { ...madeModelFiles(), ...files });
  const folder = new StoredModel(root, 'made/model', null);
  await expect(LocalModel.load(folder, 'useModel')).rejects.toThrow(message);
  expect(open).toBe(0);
});
