/** One step of an upgrade, to the next format of the data folder. */
import type { Logger } from '../observability/logger.ts';

export interface StepOptions {
  /** Absolute path of the data folder. */
  readonly root: string;
  /** Release that upgrades, such as `0.1.0`. */
  readonly release: string;
  /** Free bytes on its disk; null = the system does not report it. */
  readonly freeBytes: () => number | null;
  readonly log: Pick<Logger, 'info'>;
}

/**
 * Writes the files of the new format and leaves the files of the old format unchanged. After a
 * failure or a kill the folder still has the old format, and the next upgrade starts over.
 */
export interface UpgradeStep {
  readonly from: number;
  /** The new format, and the first release that wrote it. */
  readonly to: { readonly version: number; readonly since: string };
  /**
   * Resolves when the new files survive a power cut. The returned function releases the lock on the
   * new databases; call it when the folder has the new format, or when the step failed.
   */
  prepare(options: StepOptions): Promise<() => Promise<void>>;
}
