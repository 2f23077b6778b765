/**
 * Parses log levels: a level for all parts, levels of single parts, or both, as text: `info`,
 * `http=debug`, `info,search=off`. Parts that are not named have the level for all, or none.
 */
const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type Level = (typeof LEVELS)[number];

export interface LogLevels {
  readonly others: Level;
  readonly parts: ReadonlyMap<string, Level>;
}

const PART = /^[\w:.-]+$/;

const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);

/** null if the text is invalid. */
export function parseLogLevels(text: string): LogLevels | null {
  let others: Level = 'off';
  const parts = new Map<string, Level>();
  for (const each of text.split(',')) {
    const [left = '', right] = each.trim().split('=');
    const level = (right ?? left).toLowerCase();
    if (!isLevel(level)) return null;
    if (right === undefined) others = level;
    else if (PART.test(left)) parts.set(left, level);
    else return null;
  }
  return { others, parts };
}

/** The level of a part of a process. A part without its own level has the level of its process. */
export const levelOf = (levels: LogLevels, process: string, part: string | null): Level =>
  (part === null ? undefined : levels.parts.get(part)) ??
  levels.parts.get(process) ??
  levels.others;

/** True if a line of `level` is logged at the configured level `wanted`. */
export const passes = (level: Level, wanted: Level): boolean =>
  LEVELS.indexOf(level) <= LEVELS.indexOf(wanted);

export const moreOf = (a: Level, b: Level): Level => (passes(a, b) ? b : a);
