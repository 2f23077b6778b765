/** Workspaces of chats of a dump: checked like those of requests, one by one. */
import { ChatStore } from '../catalog/chat-store.ts';
import { ApiError } from '../core/errors.ts';
import type { DumpedChat } from '../dumps/dump.ts';
import { validate } from '../http/validator.ts';
import { ChatWorkspaceUpdate } from '../model/schemas/chat-schema.ts';
import { isIndexUid } from '../model/schemas/schema.ts';
import type { Logger } from '../observability/logger.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';

/** Members that are not known here are left out; a workspace that does not hold is named. */
export async function importChats(
  chats: readonly DumpedChat[],
  store: KeyValueStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const workspaces = await ChatStore.load(store);
  for (const { uid, settings } of chats) {
    try {
      const update: unknown = knownMembers(settings);
      validate(ChatWorkspaceUpdate, update);
      if (!isIndexUid(uid)) throw new ApiError('invalid_index_uid', 'its uid is none');
      await workspaces.update(uid, update as ChatWorkspaceUpdate);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn(`the chat workspace ${JSON.stringify(uid)} is left out: ${error.message}`);
    }
  }
}

const knownMembers = (settings: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) =>
      Object.hasOwn(ChatWorkspaceUpdate.properties, name),
    ),
  );
