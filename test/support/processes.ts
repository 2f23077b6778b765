/** What the system says of the processes of a test: descendants, titles, memory. */
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

/** The children of a process. */
export function processesOf(parent: number): ProcessFacts[] {
  return allProcesses().filter((facts) => facts.parent === parent);
}

/** Memory of a process and its children. */
export function residentBytes(pid: number): number {
  return allProcesses()
    .filter((facts) => facts.pid === pid || facts.parent === pid)
    .reduce((sum, facts) => sum + facts.residentBytes, 0);
}

export function isAlive(pid: number): boolean {
  return allProcesses().some((facts) => facts.pid === pid);
}
