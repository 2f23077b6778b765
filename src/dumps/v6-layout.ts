/** The files of a dump of version V6 (api.md 16.1). */

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
  indexMetadata: (uid: string): string => `indexes/${uid}/metadata.json`,
  indexSettings: (uid: string): string => `indexes/${uid}/settings.json`,
  indexDocuments: (uid: string): string => `indexes/${uid}/documents.jsonl`,
} as const;

/** Every file that a dump of any known version may need. */
export const isDumpFile = (name: string): boolean =>
  name.endsWith('.json') ||
  name.endsWith('.jsonl') ||
  ['keys', 'instance-uid', V6.instanceUid].includes(name) ||
  name.startsWith('updates/updates_files/');
