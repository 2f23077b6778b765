/** Small text files of the data folder: secret of the indexer, UIDs, object store, last upgrade. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { replaceFileSynced } from '../files/sync-folder.ts';
import { DATABASE } from './data-folder.ts';
import { DataFolderRefused } from './data-folder-check.ts';

const SECRET = 'indexer.secret';
const SECRET_BYTES = 32;
const NODE_ID = 'node-id';
const STORE = 'object-store';
const UPGRADE = 'upgraded.json';
const INSTANCE_UID = 'instance-uid';
const OWNER_ONLY = 0o600;

/** Without line end; null if the file does not exist or is empty. */
function readNote(root: string, name: string): string | null {
  const file = path.join(root, name);
  return (fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim()) || null;
}

/**
 * The secret that authenticates fronts and the indexer of one data folder to each other; null until an
 * indexer has created it.
 */
export const readIndexerSecret = (root: string): string | null => readNote(root, SECRET);

/**
 * Returns the folder's secret, creating it when missing. Call only in the process that holds the
 * folder's lock.
 */
export async function keepIndexerSecret(root: string): Promise<string> {
  const known = readIndexerSecret(root);
  if (known !== null) {
    fs.chmodSync(path.join(root, SECRET), OWNER_ONLY);
    return known;
  }
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await replaceFileSynced(path.join(root, SECRET), `${secret}\n`);
  return secret;
}

/** Identifies the node of the folder among the nodes of an object store, through restarts. */
export function keepNodeId(root: string, createUid: () => string): string {
  const known = readNote(root, NODE_ID);
  if (known !== null) return known;
  const uid = createUid();
  fs.writeFileSync(path.join(root, NODE_ID), `${uid}\n`);
  return uid;
}

/**
 * A folder is either the cache of one object store or has data of its own; opening it as the other
 * would delete or hide data.
 * @param store null = the folder has data of its own. @throws DataFolderRefused
 */
export function checkStoreNote(root: string, store: string | null): void {
  const noted = readNote(root, STORE);
  if (noted !== null && noted !== store)
    throw new DataFolderRefused(
      `data folder ${root} is the cache of ${noted}: start with \`--store ${noted}\`, or choose another \`--db-path\``,
    );
  if (store !== null && noted === null && fs.existsSync(path.join(root, DATABASE, 'CURRENT')))
    throw new DataFolderRefused(
      `data folder ${root} has data of its own, which \`--store\` would hide: choose another \`--db-path\``,
    );
}

export const writeStoreNote = (root: string, store: string): void =>
  fs.writeFileSync(path.join(root, STORE), `${store}\n`);

/** Left by an upgrade: the next indexer creates a task from it. */
interface Upgrade {
  /** Releases, such as `v0.1.0`. */
  readonly upgradeFrom: string;
  readonly upgradeTo: string;
}

/** Resolves when the note survives a power cut. */
export const writeUpgradeNote = (root: string, upgrade: Upgrade): Promise<void> =>
  replaceFileSynced(path.join(root, UPGRADE), JSON.stringify(upgrade));

/** null when there was no upgrade, or its task exists. */
export function readUpgradeNote(root: string): Upgrade | null {
  const text = readNote(root, UPGRADE);
  return text === null ? null : (JSON.parse(text) as Upgrade);
}

export const removeUpgradeNote = (root: string): void =>
  fs.rmSync(path.join(root, UPGRADE), { force: true });

/**
 * Writes the UID of the instance for people. The database is authoritative: a file with another UID,
 * as in a copied folder, is overwritten.
 */
export function showInstanceUid(root: string, uid: string): void {
  if (readNote(root, INSTANCE_UID) !== uid)
    fs.writeFileSync(path.join(root, INSTANCE_UID), `${uid}\n`, { mode: OWNER_ONLY });
}
