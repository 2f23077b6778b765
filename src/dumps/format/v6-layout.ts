/** The files of a dump of version V6 (api.md 16.1). */

/** Longest name of a folder, or a file without its suffix, that every file system takes, with room for what tells it apart. */
export const FOLDER_LENGTH_MAX = 200;

/** Of an index; readers know it by its metadata. @param id unlike that of every other index */
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
  webhooks: 'webhooks.json',
  chatFolder: 'chat-completions-settings/',
  indexesFolder: 'indexes/',
  updateFile: (taskUid: number): string => `tasks/update_files/${taskUid}.jsonl`,
  indexMetadata: (folder: string): string => `indexes/${folder}/metadata.json`,
  indexSettings: (folder: string): string => `indexes/${folder}/settings.json`,
  indexDocuments: (folder: string): string => `indexes/${folder}/documents.jsonl`,
} as const;

/** Every file that a dump of any known version may need. */
export const isDumpFile = (name: string): boolean =>
  name.endsWith('.json') ||
  name.endsWith('.jsonl') ||
  ['keys', 'instance-uid', V6.instanceUid].includes(name) ||
  name.startsWith('updates/updates_files/');
