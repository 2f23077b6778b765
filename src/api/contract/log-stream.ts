/** The log as a stream: lines of this front, and lines that the indexer sends to it. */
import type { LogListener } from '../../ipc/connection/log-tap.ts';
import type { LogLevels } from '../../observability/log-levels.ts';
import { type LogLine, type ProcessLogger, toHuman } from '../../observability/logger.ts';
import type { AnswerChunk } from './answer.ts';
import { LiveFeed } from './live-feed.ts';

/** Maximum characters in the backlog of a slow client; its stream then ends. */
const BACKLOG_MAX = 1 << 20;

export type LogForm = 'human' | 'json';

/** The members that log tools expect. */
function toJsonLine({ time, level, name, part, msg, ...fields }: LogLine): string {
  const target = part === undefined ? name : `${name}/${part}`;
  return `${JSON.stringify({ timestamp: time, level, fields: { message: msg, ...fields }, target })}\n`;
}

const WRITE: Readonly<Record<LogForm, (line: LogLine) => string>> = {
  human: toHuman,
  json: toJsonLine,
};

export class LogStreams implements LogListener {
  readonly #log: Pick<ProcessLogger, 'listen' | 'setLevels'>;
  #onLine: (line: LogLine) => void = () => undefined;
  #end: () => void = () => undefined;

  constructor(log: Pick<ProcessLogger, 'listen' | 'setLevels'>) {
    this.#log = log;
  }

  line(line: LogLine): void {
    this.#onLine(line);
  }

  streamEnded(): void {
    this.#end();
  }

  levelsChanged(levels: LogLevels): void {
    this.#log.setLevels(levels);
  }

  /** @param onEnd called when nothing more is read */
  async *open(
    levels: LogLevels,
    form: LogForm,
    signal: AbortSignal,
    onEnd: () => void,
  ): AsyncGenerator<AnswerChunk> {
    const feed = new LiveFeed({ backlogMax: BACKLOG_MAX, signal });
    const write = WRITE[form];
    this.#onLine = (line) => void feed.push(write(line));
    this.#end = () => feed.end();
    const leave = this.#log.listen(levels, (line) => this.#onLine(line));
    try {
      yield '\n';
      yield* feed;
    } finally {
      leave();
      this.#onLine = () => undefined;
      this.#end = () => undefined;
      onEnd();
    }
  }
}
