/** Data folders of released formats, as `scripts/freeze-data-folder.mjs` made them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskRecord } from '../../src/model/task.ts';
import { temporaryFolder } from './indexer-harness.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/data-folders', import.meta.url));

export interface FrozenFolder {
  /** A copy, the test's own. */
  readonly dbPath: string;
  readonly masterKey: string;
  /** What was asked of the server that made it, and answered. */
  readonly asked: readonly {
    readonly method: string;
    readonly route: string;
    readonly body?: unknown;
    readonly answer: Readonly<Record<string, unknown>>;
  }[];
  /** The tasks that had not ended. */
  readonly waiting: readonly TaskRecord[];
}

export function frozenFolder(format: number): FrozenFolder {
  const target = temporaryFolder();
  execFileSync('tar', ['-xzf', path.join(FOLDER, `format-${format}.tar.gz`), '-C', target]);
  const facts = JSON.parse(fs.readFileSync(path.join(target, 'questions.json'), 'utf8'));
  return { dbPath: path.join(target, 'data.ms'), ...facts };
}

/** Those that there are. */
export const FROZEN_FORMATS: readonly number[] = fs
  .readdirSync(FOLDER)
  .map((name) => Number(/^format-(\d+)\.tar\.gz$/.exec(name)?.[1]))
  .sort((a, b) => a - b);
