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

interface ServedStream {
  readonly add: (line: LogLine) => void;
  readonly end: () => void;
}

export class LogStreams implements LogListener {
  readonly #log: Pick<ProcessLogger, 'listen' | 'setLevels'>;
  /** The stream that gets lines of the indexer; null = none. */
  #served: ServedStream | null = null;

  constructor(log: Pick<ProcessLogger, 'listen' | 'setLevels'>) {
    this.#log = log;
  }

  line(line: LogLine): void {
    this.#served?.add(line);
  }

  streamEnded(): void {
    this.#served?.end();
    this.#served = null;
  }

  levelsChanged(levels: LogLevels): void {
    this.#log.setLevels(levels);
  }

  /** @param onEnd called when nothing more is read, unless `streamEnded` has ended the stream */
  async *open(
    levels: LogLevels,
    form: LogForm,
    signal: AbortSignal,
    onEnd: () => void,
  ): AsyncGenerator<AnswerChunk> {
    const feed = new PassThrough();
    const write = WRITE[form];
    const served: ServedStream = {
      add(line) {
        if (feed.writableLength > BACKLOG_MAX) feed.end();
        else if (!feed.writableEnded) feed.write(write(line));
      },
      end: () => feed.end(),
    };
    this.#served = served;
    signal.addEventListener('abort', served.end, { once: true });
    const leave = this.#log.listen(levels, served.add);
    try {
      yield '\n';
      yield* feed;
    } finally {
      leave();
      // A slow client may still read an ended stream while the next one is served.
      if (this.#served === served) {
        this.#served = null;
        onEnd();
      }
    }
  }
}
