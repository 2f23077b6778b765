/** Runs pieces of asynchronous work one after the other, in the order in which they come. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when all earlier pieces have ended, failed ones too. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
