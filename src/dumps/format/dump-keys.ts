/** A line of `keys.jsonl`: an API key without its value, which is derived from the master key. */

import { formatDate } from '../../core/clock.ts';
import { type Json, textOrNull } from '../../core/json.ts';
import { parseUuid } from '../../core/uuid.ts';
import { isAddedAction, KEY_ACTIONS } from '../../model/actions.ts';
import type { ApiKey } from '../../model/api-key.ts';
import { DumpRefused, mustReadDumpDate, parseObject } from './dump.ts';

export const keyLine = (key: ApiKey): string =>
  JSON.stringify({
    description: key.description,
    name: key.name,
    uid: key.uid,
    ...keyActions(key.actions),
    indexes: key.indexes,
    expires_at: key.expiresAt,
    ...(key.requestsPerSecond !== undefined && { requests_per_second: key.requestsPerSecond }),
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  });

/** Other servers refuse a dump with an action that they lack, and ignore further members. */
function keyActions(actions: readonly string[]) {
  const added = actions.filter(isAddedAction);
  if (added.length === 0) return { actions };
  return { actions: actions.filter((action) => !isAddedAction(action)), added_actions: added };
}

export const readKeyLine = (line: string): ApiKey => readKey(parseObject(line, 'a key'));

/** Keeps unsupported actions; `unknownActions` lists them. */
export function readKey(key: Json): ApiKey {
  const uid = parseUuid(String(key['uid']));
  if (uid === null) throw new DumpRefused(`a key of the dump has the uid ${String(key['uid'])}`);
  const what = `key ${uid}`;
  const date = (name: string) => formatDate(mustReadDumpDate(key[name], what));
  const texts = (name: string): string[] => {
    const list = key[name];
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
    throw new DumpRefused(`\`${name}\` of ${what} of the dump is no array of strings`);
  };
  const text = (name: string) => textOrNull(key[name]);
  return {
    uid,
    name: text('name'),
    description: text('description'),
    actions: [
      ...texts('actions'),
      ...(key['added_actions'] === undefined ? [] : texts('added_actions')),
    ],
    indexes: texts('indexes'),
    expiresAt: text('expires_at'),
    ...(typeof key['requests_per_second'] === 'number' && {
      requestsPerSecond: key['requests_per_second'],
    }),
    createdAt: date('created_at'),
    updatedAt: date('updated_at'),
  };
}

export const unknownActions = ({ actions }: Pick<ApiKey, 'actions'>): string[] =>
  actions.filter((action) => !KEY_ACTIONS.includes(action));
