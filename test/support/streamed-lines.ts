/** The lines of an answer that goes on while it is read. */

export class StreamedLines {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';

  constructor({ body }: Response) {
    if (body === null) throw new Error('the answer has no body');
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Resolves with all whole lines so far, once they are enough. */
  async until(isEnough: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    while (!isEnough(this.#lines)) {
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`the answer ended with ${this.#text}`);
      this.#text += value;
    }
    return this.#lines;
  }

  /** All lines, once the answer has ended. */
  async rest(): Promise<readonly string[]> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return this.#lines;
      this.#text += value;
    }
  }

  get #lines(): string[] {
    return this.#text.split('\n').slice(0, -1);
  }
}
