/**
 * Changes of search rules as tasks: batched, canceled, limited, sent to fronts, stored and dumped.
 */
import { expect, it } from 'vitest';
import { SearchRuleStore } from '../../../src/catalog/search-rule-store.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { limits } from '../../../src/core/limits.ts';
import type { SearchRuleBody } from '../../../src/model/schemas/search-rule-schema.ts';
import { SEARCH_RULES_UID } from '../../../src/model/search-rule.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import { drafts, harnessOfTest } from '../../support/indexer-harness.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const put = (uid: string, update: SearchRuleBody | null, customMetadata?: string): TaskDraft => ({
  type: 'dsrUpdate',
  indexUid: SEARCH_RULES_UID,
  uid,
  update,
  ...(customMetadata !== undefined && { customMetadata }),
});
const clear: TaskDraft = { type: 'dsrClear', indexUid: SEARCH_RULES_UID };

it('follow each other in one batch, each with its own details', async () => {
  const harness = await harnessOfTest();
  const uids = await harness.send(
    put('a', { precedence: 1, description: 'one' }, 'mine'),
    put('a', { description: null }),
    put('b', {}),
    put('absent', null),
    clear,
    put('c', { active: false }),
  );
  harness.service.start();
  const tasks = await harness.wait(uids);
  expect(new Set(tasks.map(({ batchUid }) => batchUid)).size).toBe(1);
  expect(tasks.map(({ details }) => details)).toEqual([
    { rule: { precedence: 1, description: 'one' }, updatedRules: 1 },
    { rule: { description: null }, updatedRules: 1 },
    { rule: {}, updatedRules: 1 },
    { updatedRules: 1 },
    { deletedDocuments: 2 },
    { rule: { active: false }, updatedRules: 1 },
  ]);
  expect(tasks[0]).toMatchObject({ indexUid: '.meili_dsr', customMetadata: 'mine' });
  expect([...harness.service.parts.searchRules.all()]).toEqual([
    { uid: 'c', lastUpdatedAt: expect.any(String), active: false, conditions: {}, actions: [] },
  ]);
  expect(harness.service.parts.catalog.indexCount).toBe(0);
});

it('wait until they are processed, and can be canceled until then', async () => {
  const harness = await harnessOfTest();
  const [uid = -1] = await harness.send(put('a', {}));
  const [cancelation = -1] = await harness.send(drafts.cancel({ uids: [uid] }));
  harness.service.start();
  const [task] = await harness.wait([uid, cancelation]);
  expect(task).toMatchObject({ status: 'canceled', details: { rule: {}, updatedRules: 0 } });
  expect([...harness.service.parts.searchRules.all()]).toEqual([]);
});

it('fail alone where there would be too many active rules, or too much of them', async () => {
  const store = new MemoryStore();
  const change = (await SearchRuleStore.load(store)).begin();
  for (let i = 0; i < limits.activeRulesMax; i++) change.update(`r${i}`, {}, '');
  const codeOf = (run: () => void): string | null => {
    try {
      run();
      return null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.code;
    }
  };
  expect(codeOf(() => change.update('more', {}, ''))).toBe('invalid_dynamic_search_rule_active');
  expect(codeOf(() => change.update('more', { active: false }, ''))).toBeNull();
  expect(codeOf(() => change.update('more', { active: true }, ''))).toBe(
    'invalid_dynamic_search_rule_active',
  );
  change.delete('r0');
  expect(codeOf(() => change.update('more', { active: true }, ''))).toBeNull();
  await store.write(change.operations());
  expect([...(await SearchRuleStore.load(store)).all()]).toHaveLength(limits.activeRulesMax);

  const small = (await SearchRuleStore.load(new MemoryStore(), 200)).begin();
  small.update('a', {}, '');
  expect(codeOf(() => small.update('b', { description: 'x'.repeat(200) }, ''))).toBe(
    'no_space_left_on_device',
  );
  expect(codeOf(() => small.update('a', { precedence: 1 }, ''))).toBeNull();
});
