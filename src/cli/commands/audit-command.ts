/** `gannet audit`: prints the audit log, the newest line first. */
import { type Command, numberOption, textOption } from '../command.ts';

const LIMIT_DEFAULT = 50;
const PAGE = 1000;

type Line = Readonly<Record<string, unknown>>;

interface Page {
  readonly results: readonly Line[];
  readonly next: string | null;
}

/** Columns for people; members that a line lacks are left out. */
const shown = ({ time, who, address, method, route, lost, ...more }: Line): string => {
  if (lost !== undefined) return `${time}  ${lost} lines are missing`;
  const { index, target, task, status, error } = more;
  const facts = [index, target, task === undefined ? undefined : `task ${task}`, error];
  return [time, who ?? 'unknown', address, status ?? 'left', `${method} ${route}`, ...facts]
    .filter((fact) => fact !== undefined)
    .join('  ');
};

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Prints the audit log: who changed what, and refused requests',
  usage: '',
  arguments: [0, 0],
  asksServer: true,
  options: {
    'from DAY': 'begins at the end of this day, such as 2026-11-26 (default: now)',
    'limit N': `maximum number of lines (default: ${LIMIT_DEFAULT})`,
  },
  async run({ options, instance, terminal }) {
    let left = numberOption(options, 'limit', LIMIT_DEFAULT);
    let from = textOption(options, 'from');
    do {
      const query = new URLSearchParams({ limit: String(Math.min(left, PAGE)) });
      if (from !== null) query.set('from', from);
      const { results, next } = await instance.request<Page>('GET', `/audit-log?${query}`);
      for (const line of results) {
        terminal.print(shown(line));
        terminal.json(line);
      }
      left -= results.length;
      from = next;
    } while (left > 0 && from !== null);
  },
};
