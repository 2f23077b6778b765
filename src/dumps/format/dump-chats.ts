/**
 * Chat workspaces in dumps: one file per workspace, named after its uid, with the secret in clear
 * text.
 */
import { type ChatWorkspace, workspaceSettings } from '../../model/chat-workspace.ts';
import { type DumpedChat, type DumpFiles, parseObject } from './dump.ts';
import { FOLDER_LENGTH_MAX, V6 } from './v6-layout.ts';

const SUFFIX = '.json';

/** Path and content. If the uid is too long for a file name, the content has it. */
export function dumpedChat(workspace: ChatWorkspace, position: number): [string, object] {
  const { uid } = workspace;
  const settings = workspaceSettings(workspace);
  if (uid.length <= FOLDER_LENGTH_MAX) return [`${V6.chatFolder}${uid}${SUFFIX}`, settings];
  const name = `${uid.slice(0, FOLDER_LENGTH_MAX)}~${position}`;
  return [`${V6.chatFolder}${name}${SUFFIX}`, { uid, ...settings }];
}

export function readChats(files: DumpFiles): Promise<DumpedChat[]> {
  const names = files.names.filter(
    (name) => name.startsWith(V6.chatFolder) && name.endsWith(SUFFIX),
  );
  return Promise.all(
    names.map(async (name) => {
      const { uid, ...settings } = parseObject(await files.text(name), name);
      const own = name.slice(V6.chatFolder.length, -SUFFIX.length);
      return { uid: typeof uid === 'string' ? uid : own, settings };
    }),
  );
}
