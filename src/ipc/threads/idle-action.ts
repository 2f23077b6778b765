/** Runs an action once a thread has had no task for some time. */
export class IdleAction {
  readonly #idleMs: number;
  readonly #action: () => void;
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(idleMs: number, action: () => void) {
    this.#idleMs = idleMs;
    this.#action = action;
  }

  /** The function, whose calls count as tasks. */
  watched<Task, Value>(work: (task: Task) => Promise<Value>): (task: Task) => Promise<Value> {
    return async (task) => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      this.#running++;
      try {
        return await work(task);
      } finally {
        this.#running--;
        if (this.#running === 0) this.#timer = setTimeout(this.#action, this.#idleMs).unref();
      }
    };
  }
}
