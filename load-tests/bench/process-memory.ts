/**
 * What a process and its descendants use, as Linux counts it. Memory is told apart: anonymous (heaps,
 * stacks, buffers), which only the process can give back, and pages of mapped files, which the
 * system takes when it needs them.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Of the processor times in /proc, which are in hundredths of a second on all usual kernels. */
const MS_PER_TICK = 10;

export interface ProcessMemory {
  readonly pid: number;
  readonly title: string;
  readonly anonymousBytes: number;
  readonly fileBytes: number;
}

/** Empty when the process has ended meanwhile. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parentOf(pid: number): number {
  const stat = readText(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? -1);
}

function familyOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const parents = new Map(pids.map((pid) => [Number(pid), parentOf(Number(pid))]));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

export function memoryOf(pid: number): ProcessMemory {
  const rollup = readText(`/proc/${pid}/smaps_rollup`);
  const bytes = (field: string): number =>
    1024 * Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0);
  const anonymousBytes = bytes('Anonymous');
  const title = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  const fileBytes = bytes('Rss') - anonymousBytes;
  return { pid, title, anonymousBytes, fileBytes };
}

/** Of the process and all its descendants that live. */
export function processorMsOf(root: number): number {
  const ticks = familyOf(root).map((pid) => {
    const stat = readText(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * MS_PER_TICK;
}

/** Of all threads of the process and of its descendants, as the scheduler counts: finer than ticks. */
export function threadMsOf(root: number): number {
  const ms = familyOf(root).flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [nanoseconds = '0'] = readText(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
      return Number(nanoseconds) / 1e6;
    }),
  );
  return ms.reduce((sum, each) => sum + each, 0);
}

/** Of the process and all its descendants. */
export const memoryOfFamily = (root: number): ProcessMemory[] => familyOf(root).map(memoryOf);
