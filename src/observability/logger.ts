/**
 * The structured logger: one line per event on stderr, as text or JSON, without secrets. Levels may
 * differ by part and change at runtime; log lines can be streamed to listeners.
 */
import { type Logger as Pino, type LoggerOptions as PinoOptions, pino } from 'pino';
import {
  type Level,
  type LogLevels,
  levelOf,
  moreOf,
  parseLogLevels,
  passes,
} from './log-levels.ts';

/** `log.info('text')`, or with fields first: `log.error({ err: error }, 'text')`. */
interface WriteLine {
  (message: string): void;
  (fields: object, message: string): void;
}

/** The log of a process. Each module declares the levels that it uses. */
export interface Logger {
  readonly trace: WriteLine;
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  isLevelEnabled(level: string): boolean;
  /** The logger of a part: its lines have the part's name, and the part may have its own level. */
  for(part: string): Logger;
}

type LogMode = 'HUMAN' | 'JSON';

/** The logger of a process. */
export interface ProcessLogger extends Logger {
  setLevels(levels: LogLevels): void;
  /** Also passes lines to `hear`, until the returned function is called. */
  listen(levels: LogLevels, hear: (line: LogLine) => void): () => void;
}

/** Members of a line in JSON. The fields of the event are additional members. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly name: string;
  readonly part?: string;
  readonly msg: string;
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

export interface LogTarget {
  /** Levels in the syntax of `log-levels.ts`. */
  readonly level: string;
  readonly mode: LogMode;
  /** Name of the process, part of each line. */
  readonly name: string;
  /** Receives each finished line; default stderr. */
  readonly write?: (line: string) => void;
}

const SECRETS = [
  'masterKey',
  'formerMasterKey',
  'indexerSecret',
  'apiKey',
  'authorization',
  'password',
  'secret',
  'token',
];
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const toPinoLevel = (level: Level): string => (level === 'off' ? 'silent' : level);

/**
 * Control characters, line separators and bidirectional marks. Text of requests must not move the
 * cursor of a terminal or look like a separate line.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** Lines of a stack trace, indented so that none looks like a line of the log. */
const indented = (stack: string): string =>
  stack
    .split('\n')
    .map((line) => `\n  ${printable(line)}`)
    .join('');

/** `2026-01-31T12:00:00.000Z WARN  front: message key=value`, of a part `front/part: …`. */
export function toHuman({ time, level, name, part, msg, err, ...fields }: LogLine): string {
  const pairs = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const source = part === undefined ? name : `${name}/${part}`;
  const line = `${time} ${level.padEnd(5)} ${source}: ${msg}${pairs.join('')}`;
  const trace = err?.stack === undefined ? '' : indented(err.stack);
  return `${printable(line)}${trace}\n`;
}

interface Listener {
  readonly levels: LogLevels;
  readonly hear: (line: LogLine) => void;
}

class LogSwitch {
  readonly #name: string;
  readonly #mode: LogMode;
  readonly #out: (line: string) => void;
  #levels: LogLevels;
  readonly #listeners = new Set<Listener>();
  readonly #loggers = new Map<string | null, Pino>();

  constructor({ level, mode, name, write }: LogTarget) {
    const levels = parseLogLevels(level);
    if (levels === null) throw new Error(`no log level: ${level}`);
    this.#levels = levels;
    this.#mode = mode;
    this.#name = name;
    this.#out = write ?? ((line) => void process.stderr.write(line));
    const options: PinoOptions = {
      base: { name },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
      redact: { paths: REDACTED, censor: '[redacted]' },
    };
    this.#loggers.set(null, pino(options, { write: (line: string) => this.#write(line) }));
    this.#apply();
  }

  logger(part: string | null): Logger {
    const root = this.#loggers.get(null) as Pino;
    const own = this.#loggers.get(part) ?? root.child({ part });
    if (!this.#loggers.has(part)) {
      this.#loggers.set(part, own);
      this.#apply();
    }
    return Object.assign(own, { for: (name: string) => this.logger(name) }) as Logger;
  }

  setLevels(levels: LogLevels): void {
    this.#levels = levels;
    this.#apply();
  }

  listen(levels: LogLevels, hear: Listener['hear']): () => void {
    const listener = { levels, hear };
    this.#listeners.add(listener);
    this.#apply();
    return () => {
      this.#listeners.delete(listener);
      this.#apply();
    };
  }

  /** A line that is not logged is not serialized either. */
  #apply(): void {
    for (const [part, logger] of this.#loggers) {
      let level = levelOf(this.#levels, this.#name, part);
      for (const { levels } of this.#listeners)
        level = moreOf(level, levelOf(levels, this.#name, part));
      logger.level = toPinoLevel(level);
    }
  }

  #write(json: string): void {
    if (this.#mode === 'JSON' && this.#listeners.size === 0) {
      this.#out(json);
      return;
    }
    const line = JSON.parse(json) as LogLine;
    if (this.#isWanted(line, this.#levels)) this.#out(this.#mode === 'JSON' ? json : toHuman(line));
    for (const { levels, hear } of this.#listeners) if (this.#isWanted(line, levels)) hear(line);
  }

  #isWanted({ level, part }: LogLine, levels: LogLevels): boolean {
    return passes(level.toLowerCase() as Level, levelOf(levels, this.#name, part ?? null));
  }
}

export function createLogger(target: LogTarget): ProcessLogger {
  const lines = new LogSwitch(target);
  return Object.assign(lines.logger(null), {
    setLevels: (levels: LogLevels) => lines.setLevels(levels),
    listen: (levels: LogLevels, hear: Listener['hear']) => lines.listen(levels, hear),
  });
}
