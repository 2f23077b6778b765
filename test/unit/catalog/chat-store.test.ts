/** Chat workspaces in the key-value store. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ChatStore } from '../../../src/catalog/chat-store.ts';
import { MemoryStore } from '../../support/memory-store.ts';

let store: MemoryStore;
let chats: ChatStore;
beforeEach(async () => {
  store = new MemoryStore();
  chats = await ChatStore.load(store);
});

describe('workspaces', () => {
  it('are there again after a restart, in order of uid, without those deleted', async () => {
    await Promise.all([
      chats.update('b', { apiKey: 'one' }),
      chats.update('a', {}),
      chats.update('b', { orgId: 'two' }),
      chats.update('c', {}),
      chats.delete('c'),
    ]);
    const again = await ChatStore.load(store);
    expect(again.all().map(({ uid, apiKey, orgId }) => [uid, apiKey, orgId])).toEqual([
      ['a', null, null],
      ['b', 'one', 'two'],
    ]);
    expect((await again.reset('b')).apiKey).toBeNull();
  });

  it('that do not exist are neither reset nor deleted', async () => {
    await expect(chats.reset('x')).rejects.toMatchObject({ code: 'chat_not_found' });
    await expect(chats.delete('x')).rejects.toMatchObject({ code: 'chat_not_found' });
  });

  it('take no more than their memory together', async () => {
    const prompts = {
      system: 's'.repeat(50_000),
      searchDescription: 'd'.repeat(50_000),
      searchQParam: 'q'.repeat(50_000),
    };
    for (let i = 0; i < 27; i += 1) await chats.update(`w${i}`, { prompts });
    await expect(chats.update('w27', { prompts })).rejects.toMatchObject({ code: 'bad_request' });
    expect(chats.all()).toHaveLength(27);
  });
});
