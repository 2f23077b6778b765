/** A place where work is held until a test lets it go on. */

/** Work calls `pass`. `entered` tells that some has come, `release` lets it go on, and all that follows. */
export class Gate {
  readonly entered: Promise<void>;
  release: () => void = () => undefined;
  #enter: () => void = () => undefined;
  readonly #released: Promise<void>;
  constructor() {
    this.entered = new Promise((resolve) => {
      this.#enter = resolve;
    });
    this.#released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  readonly pass = (): Promise<void> => {
    this.#enter();
    return this.#released;
  };
}
