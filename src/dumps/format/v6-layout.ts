/** The files of a dump of version V6 (api.md 16.1). */

/**
 * Longest folder name, or file name without suffix, that all file systems support, with room for a
 * unique suffix.
 */
export const FOLDER_LENGTH_MAX = 200;

/** Folder of an index; readers use its metadata. @param id unique among all indexes */
export const indexFolder = (uid: string, id: number): string =>
  uid.length <= FOLDER_LENGTH_MAX ? uid : `${uid.slice(0, FOLDER_LENGTH_MAX)}~${id}`;

export const V6 = {
  metadata: 'metadata.json',
  instanceUid: 'instance_uid.uuid',
  keys: 'keys.jsonl',
  tasks: 'tasks/queue.jsonl',
  batches: 'batches/queue.jsonl',
  features: 'experimental-features.json',
  network: 'network.json',
  /** An addition of this server. */
  aliases: 'aliases.json',
  webhooks: 'webhooks.json',
  /** Other servers refuse a dump without it. */
  indexes: 'indexes',
  chatFolder: 'chat-completions-settings/',
  updateFile: (taskUid: number): string => `tasks/update_files/${taskUid}.jsonl`,
  indexMetadata: (folder: string): string => `indexes/${folder}/metadata.json`,
  indexSettings: (folder: string): string => `indexes/${folder}/settings.json`,
  indexDocuments: (folder: string): string => `indexes/${folder}/documents.jsonl`,
} as const;

/** True for every file that a dump of a supported version may contain. */
export const isDumpFile = (name: string): boolean =>
  name.endsWith('.json') ||
  name.endsWith('.jsonl') ||
  ['keys', 'instance-uid', V6.instanceUid].includes(name) ||
  name.startsWith('updates/updates_files/');
