/** The parts of a dump besides indexes and tasks. Invalid parts are skipped, with a line in the log. */

import { v7 } from 'uuid';
import { AliasStore } from '../../catalog/alias-store.ts';
import { ChatStore } from '../../catalog/chat-store.ts';
import type { FeatureSwitches } from '../../catalog/feature-switches.ts';
import { storeInstanceUid } from '../../catalog/instance-uid.ts';
import { keyWrite } from '../../catalog/key-store.ts';
import { SearchRuleStore } from '../../catalog/search-rule-store.ts';
import { loadNetwork } from '../../catalog/stored-value.ts';
import { ApiError } from '../../core/errors.ts';
import { type Json, objectOf, textOrNull } from '../../core/json.ts';
import { validate } from '../../http/validator.ts';
import { FEATURES } from '../../model/features.ts';
import { changedNetwork } from '../../model/network.ts';
import { ChatWorkspaceUpdate } from '../../model/schemas/chat-schema.ts';
import { NetworkUpdate } from '../../model/schemas/network-schema.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';
import { SearchRuleBody } from '../../model/schemas/search-rule-schema.ts';
import { changedRule, checkRule } from '../../model/search-rule.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import { WebhookStore } from '../../webhooks/webhook-store.ts';
import type { Dump, DumpedChat } from '../format/dump.ts';
import { unknownActions } from '../format/dump-keys.ts';

type ImportLog = Pick<Logger, 'info' | 'warn'>;

/** Skips a part that this server refuses. @param what begins the line in the log */
async function orSkipped(what: string, log: ImportLog, take: () => unknown): Promise<void> {
  try {
    await take();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn(`${what} is left out: ${error.message}`);
  }
}

/** Instance uid, keys, features, network, chat workspaces, search rules, webhooks. */
export async function importInstance(
  dump: Dump,
  features: FeatureSwitches,
  store: KeyValueStore,
  log: ImportLog,
): Promise<void> {
  if (dump.instanceUid !== null) await store.write([storeInstanceUid(dump.instanceUid)]);
  for await (const key of dump.keys()) {
    const unknown = unknownActions(key);
    if (unknown.length > 0)
      log.warn(`key ${key.uid} loses actions that are not known here: ${unknown.join(', ')}`);
    const actions = key.actions.filter((action) => !unknown.includes(action));
    await store.write([keyWrite({ ...key, actions })]);
  }
  const offered = FEATURES.filter((name) => dump.features[name] === true);
  await features.update(Object.fromEntries(offered.map((name) => [name, true])));
  const others = Object.keys(dump.features).filter(
    (name) => dump.features[name] === true && !offered.some((known) => known === name),
  );
  if (others.length > 0)
    log.warn(`experimental features that this server does not have stay off: ${others.join(', ')}`);
  await importChats(dump.chats, store, log);
  await importSearchRules(dump.searchRules(), store, log);
  if (dump.network !== null) await importNetwork(dump.network, store, log);
  if (dump.aliases !== null) await importAliases(dump.aliases, store, log);
  const webhooks = await WebhookStore.open(store);
  for (const webhook of dump.webhooks)
    await orSkipped(`the webhook ${webhook.uuid}`, log, () => webhooks.import([webhook]));
}

async function importAliases(
  { aliases }: Json,
  store: KeyValueStore,
  log: ImportLog,
): Promise<void> {
  const table = await AliasStore.load(store);
  for (const alias of Array.isArray(aliases) ? aliases : [])
    await orSkipped('an alias of the dump', log, async () => {
      const { name, indexUid, updatedAt } = objectOf(alias);
      if (!isIndexUid(String(name)) || !isIndexUid(String(indexUid)))
        throw new ApiError('invalid_alias_name', 'it names no index');
      await table.put(String(name), String(indexUid), String(updatedAt));
    });
}

async function importChats(
  chats: readonly DumpedChat[],
  store: KeyValueStore,
  log: ImportLog,
): Promise<void> {
  const workspaces = await ChatStore.load(store);
  for (const { uid, settings } of chats)
    await orSkipped(`the chat workspace ${JSON.stringify(uid)}`, log, () => {
      const update: unknown = knownMembers(settings);
      validate(ChatWorkspaceUpdate, update);
      if (!isIndexUid(uid)) throw new ApiError('invalid_index_uid', 'its uid is none');
      return workspaces.update(uid, update as ChatWorkspaceUpdate);
    });
}

const knownMembers = (settings: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) =>
      Object.hasOwn(ChatWorkspaceUpdate.properties, name),
    ),
  );

async function importSearchRules(
  dumped: AsyncIterable<Json>,
  store: KeyValueStore,
  log: ImportLog,
): Promise<void> {
  const change = (await SearchRuleStore.load(store)).begin();
  let count = 0;
  for await (const { uid, lastUpdatedAt, ...members } of dumped)
    await orSkipped(`the search rule ${JSON.stringify(uid)}`, log, () => {
      const name = String(uid);
      if (!isIndexUid(name)) throw new ApiError('invalid_index_uid', 'its `uid` is none');
      const { description, precedence, active, conditions, actions } = members;
      const body = withoutAbsent({ description, precedence, active, conditions, actions });
      validate(SearchRuleBody, body);
      const update = body as SearchRuleBody;
      checkRule(update);
      const updatedAt = textOrNull(lastUpdatedAt);
      change.put({ ...changedRule(null, name, update, ''), lastUpdatedAt: updatedAt });
      count++;
    });
  await store.write(change.operations());
  if (count > 0) log.info(`${count} search rules imported`);
}

const withoutAbsent = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The name of the instance itself stays unset: another instance has it. */
async function importNetwork(
  { remotes, shards }: Json,
  store: KeyValueStore,
  log: ImportLog,
): Promise<void> {
  const given = Object.entries(objectOf(remotes)).map(([name, remote]) => {
    const { url, searchApiKey = null, writeApiKey = null } = objectOf(remote);
    return [name, { url: url ?? null, searchApiKey, writeApiKey }] as const;
  });
  const update: unknown = { remotes: Object.fromEntries(given), shards: shards ?? null };
  await orSkipped('the network of the dump', log, async () => {
    validate(NetworkUpdate, update);
    const network = await loadNetwork(store);
    await network.change((before) => changedNetwork(before, update as NetworkUpdate, v7()));
  });
}
