/** The search rules of a dump. */
import { SearchRuleStore } from '../catalog/search-rule-store.ts';
import { ApiError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { validate } from '../http/validator.ts';
import { isIndexUid } from '../model/schemas/schema.ts';
import { SearchRuleBody } from '../model/schemas/search-rule-schema.ts';
import { changedRule, checkConditions } from '../model/search-rule.ts';
import type { Logger } from '../observability/logger.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';

/** What is no rule is left out and named. */
export async function importSearchRules(
  dumped: AsyncIterable<Json>,
  store: KeyValueStore,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  const change = (await SearchRuleStore.load(store)).begin();
  let count = 0;
  for await (const { uid, lastUpdatedAt, ...members } of dumped) {
    try {
      const name = String(uid);
      if (!isIndexUid(name)) throw new ApiError('invalid_index_uid', 'its `uid` is none');
      const { description, precedence, active, conditions, actions } = members;
      const body = withoutAbsent({ description, precedence, active, conditions, actions });
      validate(SearchRuleBody, body);
      const update = body as SearchRuleBody;
      checkConditions(update.conditions ?? {});
      const updatedAt = typeof lastUpdatedAt === 'string' ? lastUpdatedAt : null;
      change.put({ ...changedRule(null, name, update, ''), lastUpdatedAt: updatedAt });
      count++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn(`the search rule ${JSON.stringify(uid)} is left out: ${error.message}`);
    }
  }
  await store.write(change.operations());
  if (count > 0) log.info(`${count} search rules imported`);
}

const withoutAbsent = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
