/**
 * Reads server-sent events out of bytes that may be cut anywhere: within a character, a line end or
 * an event.
 */

/** An event is longer than its reader takes. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong';
}

const LINE_END = /\r\n|\n|\r/;
const FIELD = /^([^:]*):? ?(.*)$/s;

export class EventReader {
  readonly #charsMax: number;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line, or a carriage return that a line feed may follow. */
  #rest = '';
  #data: string[] = [];
  #chars = 0;

  /** @param charsMax of one event */
  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Data of the events that are complete with these bytes. @throws EventTooLong */
  read(chunk: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Data of an event that the stream ended behind, without the blank line. */
  end(): string[] {
    const last = this.#take(`${this.#decoder.decode()}\n\n`);
    this.#rest = '';
    return last;
  }

  #take(text: string): string[] {
    const all = this.#rest + text;
    const isOpen = all.endsWith('\r');
    const lines = (isOpen ? all.slice(0, -1) : all).split(LINE_END);
    this.#rest = (lines.pop() ?? '') + (isOpen ? '\r' : '');
    const events: string[] = [];
    for (const line of lines) this.#line(line, events);
    this.#check(this.#chars + this.#rest.length);
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.join('\n'));
      this.#data = [];
      this.#chars = 0;
      return;
    }
    const [, field, value = ''] = FIELD.exec(line) ?? [];
    if (field !== 'data') return;
    this.#chars += value.length;
    this.#check(this.#chars);
    this.#data.push(value);
  }

  #check(chars: number): void {
    if (chars > this.#charsMax)
      throw new EventTooLong(`an event has more than ${this.#charsMax} characters`);
  }
}
