/** The single log stream of an instance: which front serves it, and the indexer's lines for it. */
import { ApiError } from '../../core/errors.ts';
import { type LogLevels, parseLogLevels } from '../../observability/log-levels.ts';
import type { LogLine, ProcessLogger } from '../../observability/logger.ts';

export interface LogListener {
  /** A log line of the indexer, for the stream that this front serves. */
  line(line: LogLine): void;
  /** Another client has ended that stream. */
  streamEnded(): void;
  levelsChanged(levels: LogLevels): void;
}

export function requireLevels(text: string): LogLevels {
  const levels = parseLogLevels(text);
  if (levels !== null) return levels;
  throw new ApiError(
    'bad_request',
    `\`target\` is \`${text.slice(0, 100)}\`: it must be a level out of \`off\`, \`error\`, \`warn\`, \`info\`, \`debug\`, \`trace\`, or parts with levels such as \`http=debug\`, separated by commas.`,
  );
}

interface Tap<Owner> {
  readonly owner: Owner;
  readonly leave: () => void;
}

export class LogTap<Owner> {
  readonly #log: Pick<ProcessLogger, 'listen'>;
  #tap: Tap<Owner> | null = null;

  constructor(log: Pick<ProcessLogger, 'listen'>) {
    this.#log = log;
  }

  /** @throws ApiError when a stream is already open */
  open(owner: Owner, levels: LogLevels, hear: (line: LogLine) => void): void {
    if (this.#tap !== null) {
      throw new ApiError(
        'bad_request',
        'The log is being streamed already, and only one stream may be open. `DELETE /logs/stream` ends it.',
      );
    }
    this.#tap = { owner, leave: this.#log.listen(levels, hear) };
  }

  /** Returns the owner of the stream that ended, null when there was none. */
  close(): Owner | null {
    const tap = this.#tap;
    this.#tap = null;
    tap?.leave();
    return tap?.owner ?? null;
  }

  forget(owner: Owner): void {
    if (this.#tap?.owner === owner) this.close();
  }
}
