/** Creates the target indexes with primary key and settings, before their documents are sent. */
import type { Json } from '../../core/json.ts';
import type { MappedIndex, MigrationNote } from '../../migration/mapped-index.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { type Instance, indexPath } from '../instance-client.ts';

/** The primary key of an index, null if not set; undefined if the index does not exist. */
export async function primaryKeyOf(
  target: Instance,
  uid: string,
): Promise<string | null | undefined> {
  try {
    const { primaryKey } = await target.request<{ primaryKey: string | null }>(
      'GET',
      indexPath(uid),
    );
    return primaryKey;
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'index_not_found') return undefined;
    throw error;
  }
}

/** @throws CommandFailure if an index exists, or has another primary key */
export async function refuseExisting(
  target: Instance,
  indexes: readonly Pick<MappedIndex, 'uid' | 'primaryKey'>[],
  mayExist: boolean,
): Promise<void> {
  for (const { uid, primaryKey } of indexes) {
    const there = await primaryKeyOf(target, uid);
    if (there === undefined) continue;
    if (!mayExist)
      throw new CommandFailure(
        `the index \`${uid}\` exists at ${target.url}: delete it, or replace its settings and add to its documents with --into-existing`,
        EXIT.usage,
      );
    if (there !== null && primaryKey !== null && there !== primaryKey)
      throw new CommandFailure(
        `the index \`${uid}\` at ${target.url} has the primary key \`${there}\`, not \`${primaryKey}\``,
        EXIT.usage,
      );
  }
}

/** Resolves to a note for each refused setting. */
export async function prepareIndex(
  target: Instance,
  { uid, primaryKey, settings }: MappedIndex,
): Promise<MigrationNote[]> {
  if ((await primaryKeyOf(target, uid)) === undefined)
    await target.settle('POST', '/indexes', { body: { uid, primaryKey } });
  if (Object.keys(settings).length === 0) return [];
  if ((await refusalOf(target, uid, settings)) === null) return [];
  const notes: MigrationNote[] = [];
  for (const [name, part] of singleSettings(settings)) {
    const refusal = await refusalOf(target, uid, part);
    if (refusal !== null) notes.push({ name, message: `is refused: ${refusal}` });
  }
  return notes;
}

/** Returns null if the server accepts the settings. */
async function refusalOf(target: Instance, uid: string, body: Json): Promise<string | null> {
  try {
    await target.settle('PATCH', `${indexPath(uid)}/settings`, { body });
    return null;
  } catch (error) {
    if (error instanceof CommandFailure && error.code !== null) return error.message;
    throw error;
  }
}

/** Sends the settings one by one, embedders too. */
function singleSettings(settings: Json): [string, Json][] {
  return Object.entries(settings).flatMap(([name, value]): [string, Json][] => {
    if (name !== 'embedders') return [[name, { [name]: value }]];
    return Object.entries(value as Json).map(([embedder, its]) => [
      `embedder ${embedder}`,
      { embedders: { [embedder]: its } },
    ]);
  });
}
