/** What is printed at the start: only what holds for the role that starts. */
import { describe, expect, it } from 'vitest';
import { type BannerFacts, banner } from '../../../src/runtime/banner.ts';

const FACTS: BannerFacts = {
  version: '1.2.3',
  role: 'all',
  url: 'http://localhost:7700',
  dbPath: './data.ms',
  configFile: null,
  env: 'development',
  queryThreads: 3,
  indexingThreads: 2,
  indexerAddress: '/tmp/indexer.sock',
  hasMasterKey: false,
  suggestedKey: 'a-key-to-take',
};

describe('banner', () => {
  it('warns of a missing master key wherever HTTP is served', () => {
    expect(banner(FACTS)).toContain('WARNING: no master key');
    expect(banner(FACTS)).toContain('--master-key=a-key-to-take');
    expect(banner({ ...FACTS, role: 'front' })).toContain('WARNING: no master key');
    expect(banner({ ...FACTS, hasMasterKey: true })).not.toContain('WARNING');
  });

  it('does not warn, and names no address and no query threads, for an indexer alone', () => {
    const text = banner({ ...FACTS, role: 'indexer', url: null });
    expect(text).not.toContain('WARNING');
    expect(text).not.toContain('a-key-to-take');
    expect(text).not.toContain('listening on');
    expect(text).not.toContain('query threads');
    expect(text).toContain('/tmp/indexer.sock');
  });
});
