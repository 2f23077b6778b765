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
  masterKeyBytes: null,
  suggestedKey: 'a-key-to-take',
};

describe('banner', () => {
  it('warns of a missing master key wherever HTTP is served', () => {
    expect(banner(FACTS)).toContain('WARNING: no master key');
    expect(banner(FACTS)).toContain('export SVC_MASTER_KEY=a-key-to-take');
    expect(banner({ ...FACTS, role: 'front' })).toContain('WARNING: no master key');
    expect(banner({ ...FACTS, masterKeyBytes: 16 })).not.toContain('WARNING');
  });

  it('says where API keys are when there is a master key, and warns of a short one', () => {
    const text = banner({ ...FACTS, masterKeyBytes: 16 });
    expect(text).toContain("curl http://localhost:7700/keys -H 'Authorization: Bearer MASTER_KEY'");
    expect(text).not.toContain('a-key-to-take');
    const short = banner({ ...FACTS, masterKeyBytes: 15 });
    expect(short).toContain('WARNING: the master key is short');
    expect(short).toContain('a-key-to-take');
    expect(short).toContain('/keys');
    expect(banner({ ...FACTS, masterKeyBytes: 16, url: null })).not.toContain('/keys');
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
