/**
 * Start here: upgrades a data folder to the newest format, step by step. Replacing the file VERSION
 * commits a step; before that the folder still has the old format.
 */
import { removeOutdated, writeVersion } from '../storage/data-folder/data-folder.ts';
import {
  DATA_FORMAT,
  DataFolderRefused,
  formatOf,
} from '../storage/data-folder/data-folder-check.ts';
import { writeUpgradeNote } from '../storage/data-folder/notes.ts';
import { toValueFormats } from './to-value-formats.ts';
import type { StepOptions, UpgradeStep } from './upgrade-step.ts';

/** Recorded as the source release of formats that no release wrote. */
const BEFORE_RELEASES = '0.0.0';

export const UPGRADE_STEPS: readonly UpgradeStep[] = [toValueFormats];

/**
 * @throws DataFolderRefused when there is no step from the folder's format. After any error the
 * folder can still be upgraded
 */
export async function upgradeFolder(options: StepOptions, steps = UPGRADE_STEPS): Promise<void> {
  const { root, log } = options;
  const startMs = performance.now();
  const { format: first, since } = formatOf(root);
  const upgradeFrom = `v${since ?? BEFORE_RELEASES}`;
  await writeUpgradeNote(root, { upgradeFrom, upgradeTo: `v${options.release}` });
  for (let format = first; format < DATA_FORMAT.version; format = formatOf(root).format)
    await take(stepFrom(format, root, steps), options);
  removeOutdated(root);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  log.info(
    `${root} was upgraded from data format ${first} to ${DATA_FORMAT.version} in ${seconds} s`,
  );
}

async function take(step: UpgradeStep, options: StepOptions): Promise<void> {
  const release = await step.prepare(options);
  try {
    await writeVersion(options.root, step.to);
  } finally {
    await release();
  }
}

function stepFrom(format: number, root: string, steps: readonly UpgradeStep[]): UpgradeStep {
  const step = steps.find(({ from }) => from === format);
  if (step !== undefined) return step;
  throw new DataFolderRefused(`${root} has data format ${format}, which cannot be upgraded`);
}
