/**
 * The structured logger: one line per event on stderr, readable or JSON; secrets never reach it.
 */
import { type LoggerOptions as PinoOptions, pino } from 'pino';

export type Level = 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';

/** `log.info('text')`, or with fields first: `log.error({ err: error }, 'text')`. */
interface WriteLine {
  (message: string): void;
  (fields: object, message: string): void;
}

/** Where everything that a process has to say goes; a part asks for the levels that it uses. */
export interface Logger {
  readonly trace: WriteLine;
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  isLevelEnabled(level: string): boolean;
}

export interface LogTarget {
  readonly level: Level;
  readonly mode: 'HUMAN' | 'JSON';
  /** Process or part the lines come from. */
  readonly name: string;
  /** Gets each finished line; default stderr. */
  readonly write?: (line: string) => void;
}

const SECRETS = [
  'masterKey',
  'indexerSecret',
  'apiKey',
  'authorization',
  'password',
  'secret',
  'token',
];
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const toPinoLevel = (level: Level): string => (level === 'OFF' ? 'silent' : level.toLowerCase());

/** `2026-01-31T12:00:00.000Z WARN  front: message key=value`. */
function toHuman(json: string): string {
  const { time, level, name, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const trace = stack === undefined ? '' : `\n${stack}`;
  return `${String(time)} ${String(level).padEnd(5)} ${String(name)}: ${String(msg)}${pairs.join('')}${trace}\n`;
}

export function createLogger({ level, mode, name, write }: LogTarget): Logger {
  const toStderr = (line: string): void => void process.stderr.write(line);
  const out = write ?? toStderr;
  const options: PinoOptions = {
    level: toPinoLevel(level),
    base: { name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
  };
  return pino(options, { write: (line: string) => out(mode === 'JSON' ? line : toHuman(line)) });
}
