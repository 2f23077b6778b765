/** Dumps of version V6, which servers since 1.0 create, including this one. */
import { isObject, type Json, textOrNull } from '../../core/json.ts';
import { SEARCH_RULES_UID } from '../../model/search-rule.ts';
import type { Webhook } from '../../model/webhook.ts';
import type { Dump, DumpAbout, DumpedIndex, DumpFiles } from './dump.ts';
import { DumpRefused, instanceUidIn, parseObject, readLines } from './dump.ts';
import { readBatchLine } from './dump-batches.ts';
import { readChats } from './dump-chats.ts';
import { readKeyLine } from './dump-keys.ts';
import { readRule } from './dump-rules.ts';
import { readSettings } from './dump-settings.ts';
import { readTaskLine } from './dump-tasks.ts';
import { V6 } from './v6-layout.ts';

export async function readV6(files: DumpFiles, about: DumpAbout): Promise<Dump> {
  const object = async (name: string): Promise<Json> =>
    files.has(name) ? parseObject(await files.text(name), name) : {};
  const documentsOf = (uid: number) => {
    const name = V6.updateFile(uid);
    return files.has(name) ? name : null;
  };
  const indexes = await readIndexes(files, object);
  const rules = indexes.find(({ uid }) => uid === SEARCH_RULES_UID);
  return {
    ...about,
    instanceUid: await instanceUidIn(files, V6.instanceUid),
    features: await object(V6.features),
    network: files.has(V6.network) ? await object(V6.network) : null,
    aliases: files.has(V6.aliases) ? await object(V6.aliases) : null,
    leftOut: [],
    webhooks: readWebhooks(await object(V6.webhooks)),
    chats: await readChats(files),
    indexes: indexes.filter(({ uid }) => uid !== SEARCH_RULES_UID),
    searchRules: () =>
      readLines(files, rules?.documents ?? '', (line) =>
        readRule(parseObject(line, 'a search rule')),
      ),
    keys: () => readLines(files, V6.keys, readKeyLine),
    batches: () => readLines(files, V6.batches, readBatchLine),
    tasks: () => readLines(files, V6.tasks, (line) => readTaskLine(line, documentsOf)),
  };
}

async function readIndexes(
  files: DumpFiles,
  object: (name: string) => Promise<Json>,
): Promise<DumpedIndex[]> {
  const folders = files.names.flatMap(
    (name) => /^indexes\/([^/]+)\/metadata\.json$/.exec(name)?.[1] ?? [],
  );
  const indexes = folders.map(async (folder): Promise<DumpedIndex> => {
    const about = await object(V6.indexMetadata(folder));
    const { uid, primaryKey, createdAt, updatedAt, branchOf } = about;
    if (typeof uid !== 'string')
      throw new DumpRefused(`${V6.indexMetadata(folder)} of the dump names no index`);
    const documents = V6.indexDocuments(folder);
    return {
      uid,
      primaryKey: textOrNull(primaryKey),
      createdAt: textOrNull(createdAt),
      updatedAt: textOrNull(updatedAt),
      ...(Array.isArray(branchOf) && { branchOf: branchOf.map(String) }),
      settings: readSettings(await object(V6.indexSettings(folder))),
      documents: files.has(documents) ? documents : null,
    };
  });
  return Promise.all(indexes);
}

function readWebhooks({ webhooks }: Json): Webhook[] {
  if (!isObject(webhooks)) return [];
  return Object.entries(webhooks).flatMap(([uuid, hook]) => {
    if (!isObject(hook) || typeof hook['url'] !== 'string') return [];
    const { url, headers, signingSecret } = hook;
    const given = isObject(headers) ? (headers as Readonly<Record<string, string>>) : {};
    const secret = typeof signingSecret === 'string' ? { signingSecret } : {};
    return [{ uuid, url, headers: given, ...secret }];
  });
}
