/**
 * Periodic work of the indexer: deletes obsolete files and old tasks, and measures the task
 * database.
 */
import type { ObsoleteFiles } from '../catalog/obsolete-files.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { InstanceSizes } from './instance-sizes.ts';
import type { TaskAdmission } from './store/task-admission.ts';

const INTERVAL_MS = 5000;

interface HousekeepingOptions {
  readonly obsolete: ObsoleteFiles;
  readonly admission: TaskAdmission;
  readonly sizes: Pick<InstanceSizes, 'taskBytes'>;
  /** The oldest generation of the index that a connected front may read. */
  readonly minimumAcknowledged: (indexId: number) => number;
  readonly deleteOldTasks: (nowMicros: number) => void;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#run(), INTERVAL_MS).unref();
    void this.#run();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.sweep();
  }

  /** Sweeps after the commit that is being published is announced to all fronts. */
  sweepSoon(): void {
    setImmediate(() => this.sweep());
  }

  sweep(): void {
    const { obsolete, clock, minimumAcknowledged } = this.#options;
    if (obsolete.count > 0) obsolete.sweep(clock() / 1000, minimumAcknowledged);
  }

  async #run(): Promise<void> {
    const { admission, sizes, deleteOldTasks, clock, log } = this.#options;
    try {
      this.sweep();
      deleteOldTasks(clock());
      admission.taskStoreBytes = await sizes.taskBytes();
    } catch (error) {
      log.error({ err: error }, 'housekeeping failed');
    }
  }
}
