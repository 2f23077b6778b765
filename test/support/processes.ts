/** What the system says of the processes of a test: descendants, titles, memory, work. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly title: string;
  readonly residentBytes: number;
}

function fromProc(pid: string): ProcessFacts[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const number = (name: string): number =>
      Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    const isZombie = /^State:\s*Z/m.test(status);
    return isZombie
      ? []
      : [
          {
            pid: Number(pid),
            parent: number('PPid'),
            title,
            residentBytes: number('VmRSS') * 1024,
          },
        ];
  } catch {
    return [];
  }
}

function fromPs(line: string): ProcessFacts[] {
  const [pid, parent, residentKb, ...title] = line.trim().split(/\s+/);
  if (title.length === 0) return [];
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      title: title.join(' '),
      residentBytes: Number(residentKb) * 1024,
    },
  ];
}

/** Empty if it has ended. */
const processOf = (pid: number): ProcessFacts[] =>
  existsSync('/proc/self/status')
    ? fromProc(String(pid))
    : allProcesses().filter((facts) => facts.pid === pid);

function allProcesses(): ProcessFacts[] {
  if (existsSync('/proc/self/status')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(fromProc);
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,command='], { encoding: 'utf8' })
    .split('\n')
    .flatMap(fromPs);
}

/** The children of a process. Tests poll it: the list of all processes takes milliseconds to read. */
export function processesOf(parent: number): ProcessFacts[] {
  const tasks = `/proc/${parent}/task`;
  if (!existsSync(`${tasks}/${parent}/children`))
    return allProcesses().filter((facts) => facts.parent === parent);
  return readdirSync(tasks)
    .flatMap((task) => readIfThere(`${tasks}/${task}/children`).trim().split(/\s+/))
    .flatMap(fromProc);
}

/** Empty if the thread has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Memory of a process and its children. */
export const residentBytes = (pid: number): number =>
  [...processOf(pid), ...processesOf(pid)].reduce((sum, facts) => sum + facts.residentBytes, 0);

/** Processor time that a process has used so far. */
export function processorMs(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) {
    const text = execFileSync('ps', ['-p', String(pid), '-o', 'time='], { encoding: 'utf8' });
    return text.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  }
  // Behind the title, which may hold spaces: fields 14 and 15 in hundredths of a second.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export const isAlive = (pid: number): boolean => processOf(pid).length > 0;
