/** The log as a stream: lines of this front, and lines that the indexer sends to it. */
import { PassThrough } from 'node:stream';
import type { LogListener } from '../../ipc/connection/log-tap.ts';
import type { LogLevels } from '../../observability/log-levels.ts';
import { type LogLine, type ProcessLogger, toHuman } from '../../observability/logger.ts';
import type { AnswerChunk } from './answer.ts';

/** Bytes in the backlog of a slow client; its stream then ends, and it may reconnect. */
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
  line: LogListener['line'] = () => undefined;
  streamEnded: LogListener['streamEnded'] = () => undefined;

  constructor(log: Pick<ProcessLogger, 'listen' | 'setLevels'>) {
    this.#log = log;
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
    const feed = new PassThrough();
    const write = WRITE[form];
    this.streamEnded = () => feed.end();
    this.line = (line) => {
      if (feed.writableLength > BACKLOG_MAX) feed.end();
      else if (!feed.writableEnded) feed.write(write(line));
    };
    signal.addEventListener('abort', this.streamEnded, { once: true });
    const leave = this.#log.listen(levels, (line) => this.line(line));
    try {
      yield '\n';
      yield* feed;
    } finally {
      leave();
      this.line = () => undefined;
      this.streamEnded = () => undefined;
      onEnd();
    }
  }
}
