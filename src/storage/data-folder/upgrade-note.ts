/**
 * A note that an upgrade leaves in the data folder: from which release to which. The next indexer
 * creates a task from it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../files/sync-folder.ts';

const FILE = 'upgraded.json';
const OWNER_ONLY = 0o600;

export interface Upgrade {
  /** Releases, such as `v0.1.0`. */
  readonly upgradeFrom: string;
  readonly upgradeTo: string;
}

/** Resolves when the note survives a power cut. */
export async function writeUpgradeNote(root: string, upgrade: Upgrade): Promise<void> {
  await replaceFile(root, FILE, JSON.stringify(upgrade), OWNER_ONLY);
}

/** null when there was no upgrade, or its task exists. */
export function readUpgradeNote(root: string): Upgrade | null {
  const file = path.join(root, FILE);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Upgrade) : null;
}

export const removeUpgradeNote = (root: string): void =>
  fs.rmSync(path.join(root, FILE), { force: true });
