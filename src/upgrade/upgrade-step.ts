/** One step of an upgrade, from a format of the data folder to the next one. */
import type { Logger } from '../observability/logger.ts';

export interface StepOptions {
  /** Of the data folder, absolute. */
  readonly root: string;
  /** That upgrades, such as `0.1.0`. */
  readonly release: string;
  /** Free bytes there; null = the system does not say. */
  readonly freeBytes: () => number | null;
  readonly log: Pick<Logger, 'info'>;
}

/**
 * Writes what the new format needs beside what the old one has, which it does not change: an
 * upgrade that fails or is killed leaves a folder of the old format, and the next one begins anew.
 */
export interface UpgradeStep {
  readonly from: number;
  /** The new format, and the release that began with it. */
  readonly to: { readonly version: number; readonly since: string };
  /**
   * Resolves when everything is there and survives a power cut, with what nobody else may have
   * opened meanwhile: it is called when the folder has the new format, or when the step failed.
   */
  prepare(options: StepOptions): Promise<() => Promise<void>>;
}
