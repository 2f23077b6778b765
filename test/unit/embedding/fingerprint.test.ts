/** Settings that change document vectors: embedders that differ in one share no vectors. */
import { expect, it } from 'vitest';
import { fingerprintOf } from '../../../src/embedding/fingerprint.ts';
import type { EmbedderSettings } from '../../../src/model/embedders/embedder-settings.ts';

const settings: EmbedderSettings = { source: 'huggingFace', model: 'made/model' };
const changed = (change: Partial<EmbedderSettings>): boolean =>
  fingerprintOf({ ...settings, ...change }) !== fingerprintOf(settings);

it.each<Partial<EmbedderSettings>>([
  { source: 'rest' },
  { url: 'http://provider.example' },
  { model: 'made/other' },
  { revision: 'v2' },
  { pooling: 'forceMean' },
  { dimensions: 3 },
  { request: { input: '{{text}}' } },
  { response: { vector: '{{embedding}}' } },
])('%j regenerates vectors', (change) => {
  expect(changed(change)).toBe(true);
});

it.each<Partial<EmbedderSettings>>([
  { apiKey: 'another' },
  { headers: { 'x-team': 'search' } },
  { documentTemplate: '{{ doc.title }}' },
  { binaryQuantized: true },
  { distribution: { mean: 0.5, sigma: 0.1 } },
])('%j does not', (change) => {
  expect(changed(change)).toBe(false);
});

it('of two embedders the one for documents counts', () => {
  const both = (searchEmbedder: EmbedderSettings): EmbedderSettings => ({
    source: 'composite',
    indexingEmbedder: settings,
    searchEmbedder,
  });
  expect(fingerprintOf(both({ source: 'openAi' }))).toBe(fingerprintOf(settings));
});
