/**
 * Progress of a batch in memory shared by the indexer's event loop and its threads, without
 * messages. The same memory carries the cancelation of the batch.
 *
 * Layout: i32 canceled │ i32 number of the current step, or −1 │ i32 done │ i32 total │
 * i32 planned steps, as bits │ i32 unused │ f64 start of the step, ms │ f64 ms per step
 */
/** The steps of batches in order, with the unit that each step counts. */
const STEPS = {
  'reading tasks': 'tasks',
  'parsing documents': 'documents',
  'resolving document ids': 'documents',
  'editing documents': 'documents',
  'embedding documents': 'documents',
  'building segments': 'documents',
  'adding columns': 'documents',
  'merging segments': 'segments',
  'copying the database': 'entries',
  'archiving files': 'files',
  'dumping documents': 'documents',
  'dumping tasks': 'tasks',
  'exporting documents': 'documents',
  committing: 'tasks',
} as const;

type BatchStep = keyof typeof STEPS;
type StepUnit = (typeof STEPS)[BatchStep];

const BATCH_STEPS = Object.keys(STEPS) as readonly BatchStep[];

const CANCELED = 0;
const CURRENT = 1;
const DONE = 2;
const TOTAL = 3;
const PLANNED = 4;
const COUNTERS_BYTES = 24;
const NO_STEP = -1;

/** Thrown when the batch is canceled; its results must be dropped. */
export class BatchCanceled extends Error {
  override readonly name = 'BatchCanceled';
  constructor() {
    super('the batch is canceled');
  }
}

export interface ProgressReading {
  readonly step: BatchStep | null;
  /** Unit of `done` and `total`. */
  readonly unit: StepUnit;
  readonly done: number;
  /** 0 = unknown. */
  readonly total: number;
  readonly stepsFinished: number;
  readonly stepsPlanned: number;
  /** Milliseconds by step, including the current one. */
  readonly durations: ReadonlyMap<BatchStep, number>;
  readonly embedderRequests: EmbedderRequests;
}

/** Requests to embedding providers. */
export interface EmbedderRequests {
  readonly total: number;
  readonly failed: number;
  readonly lastError?: string;
}

export class BatchProgress {
  /** Can be sent to a thread, which creates its own view. */
  readonly shared: SharedArrayBuffer;
  readonly #counters: Int32Array;
  /** Start of the current step, then the duration of each step. */
  readonly #times: Float64Array;
  readonly #now: () => number;
  readonly #cancellation = new AbortController();
  #requests: EmbedderRequests = { total: 0, failed: 0 };
  /**
   * Called when some of the batch's work is durable, whatever happens to the batch. Like `signal`
   * and the requests, known only in the thread that drives the batch.
   */
  onLasting: () => Promise<void> = () => Promise.resolve();
  /** True after long failures of a provider: its requests are not retried. */
  isLastTry = false;
  /** The cause sent to providers with requests; null = none. */
  cause: string | null = null;

  /** @param nowMs the same clock in all threads */
  constructor(
    shared: SharedArrayBuffer | null = null,
    nowMs: () => number = () => performance.timeOrigin + performance.now(),
  ) {
    this.shared = shared ?? new SharedArrayBuffer(COUNTERS_BYTES + (1 + BATCH_STEPS.length) * 8);
    this.#counters = new Int32Array(this.shared, 0, COUNTERS_BYTES / 4);
    this.#times = new Float64Array(this.shared, COUNTERS_BYTES);
    this.#now = nowMs;
    if (shared === null) this.#counters[CURRENT] = NO_STEP;
  }

  /**
   * Announces all steps. `plan`, `begin` and `end` are called only by the thread that drives the
   * batch.
   */
  plan(steps: readonly BatchStep[]): void {
    let bits = 0;
    for (const step of steps) bits |= 1 << BATCH_STEPS.indexOf(step);
    Atomics.store(this.#counters, PLANNED, bits);
  }

  begin(step: BatchStep, total = 0): void {
    this.end();
    const number = BATCH_STEPS.indexOf(step);
    Atomics.or(this.#counters, PLANNED, 1 << number);
    this.#times[0] = this.#now();
    Atomics.store(this.#counters, DONE, 0);
    Atomics.store(this.#counters, TOTAL, total);
    Atomics.store(this.#counters, CURRENT, number);
  }

  end(): void {
    const number = this.#current;
    if (number === NO_STEP) return;
    this.#times[number + 1] = this.#timeOf(number);
    Atomics.store(this.#counters, CURRENT, NO_STEP);
  }

  /** Adds to the count of the current step; callable in any thread. */
  advance(count = 1): void {
    Atomics.add(this.#counters, DONE, count);
  }

  cancel(): void {
    Atomics.store(this.#counters, CANCELED, 1);
    this.#cancellation.abort(new BatchCanceled());
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** @param error null = success */
  countRequest(error: string | null): void {
    const { total, failed, ...last } = this.#requests;
    this.#requests =
      error === null
        ? { ...last, total: total + 1, failed }
        : { total: total + 1, failed: failed + 1, lastError: error };
  }

  get isCanceled(): boolean {
    return Atomics.load(this.#counters, CANCELED) === 1;
  }

  /** Must be called at least every 100 ms of work. @throws BatchCanceled */
  throwIfCanceled(): void {
    if (this.isCanceled) throw new BatchCanceled();
  }

  read(): ProgressReading {
    const number = this.#current;
    const planned = Atomics.load(this.#counters, PLANNED);
    const durations = new Map<BatchStep, number>();
    let stepsFinished = 0;
    let stepsPlanned = 0;
    for (const [i, step] of BATCH_STEPS.entries()) {
      const ms = i === number ? this.#timeOf(i) : (this.#times[i + 1] ?? 0);
      if (ms > 0) durations.set(step, ms);
      if ((planned & (1 << i)) === 0) continue;
      stepsPlanned++;
      if (i < number || (number === NO_STEP && ms > 0)) stepsFinished++;
    }
    const step = BATCH_STEPS[number] ?? null;
    return {
      step,
      unit: step === null ? 'tasks' : STEPS[step],
      done: Atomics.load(this.#counters, DONE),
      total: Atomics.load(this.#counters, TOTAL),
      stepsFinished,
      stepsPlanned,
      durations,
      embedderRequests: this.#requests,
    };
  }

  get #current(): number {
    return Atomics.load(this.#counters, CURRENT);
  }

  #timeOf(number: number): number {
    return (this.#times[number + 1] ?? 0) + this.#now() - (this.#times[0] ?? 0);
  }
}
