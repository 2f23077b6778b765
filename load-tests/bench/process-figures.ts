/**
 * Resource use of a process and its descendants, as Linux counts it. Memory has two parts: anonymous (heaps,
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

/** The fields of its `stat` behind its name, of which the first is its state. */
function statOf(pid: number): string[] {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A member of a file of lines such as `VmHWM:  1024 kB`, in bytes. */
const bytesIn = (pid: number, file: 'smaps_rollup' | 'status', member: string): number =>
  memberOf(readText(`/proc/${pid}/${file}`), member);

function memberOf(text: string, member: string): number {
  return 1024 * Number(new RegExp(`^${member}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** The process and all its descendants that live. */
function familyOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const parents = new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1] ?? -1)]));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * From the counters of `status`. Linux walks all pages of the process for the same figures in
 * `smaps_rollup`, which takes 20 ms or more of processor time.
 */
export function memoryOf(pid: number): ProcessMemory {
  const status = readText(`/proc/${pid}/status`);
  const anonymousBytes = memberOf(status, 'RssAnon');
  const title = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  const fileBytes = memberOf(status, 'RssFile') + memberOf(status, 'RssShmem');
  return { pid, title, anonymousBytes, fileBytes };
}

/** Of the process and all its descendants. */
export const memoryOfFamily = (root: number): ProcessMemory[] => familyOf(root).map(memoryOf);

/** Files and sockets that the process has open. */
export const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Of the whole family: its proportional share of memory now, and the sum of the peaks. */
export function familyBytes(root: number): {
  readonly nowBytes: number;
  readonly peakBytes: number;
} {
  const family = familyOf(root);
  return {
    nowBytes: sumOf(family.map((pid) => bytesIn(pid, 'smaps_rollup', 'Pss'))),
    peakBytes: sumOf(family.map((pid) => bytesIn(pid, 'status', 'VmHWM'))),
  };
}

/** Of the process and all its descendants that live. */
export function processorMsOf(root: number): number {
  const ticks = familyOf(root).map((pid) => {
    const fields = statOf(pid);
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return sumOf(ticks) * MS_PER_TICK;
}

/** Milliseconds of processor time by thread. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** Of all threads of the process and of its descendants, as the scheduler counts: finer than ticks. */
export const threadTimesOf = (root: number): ThreadTimes =>
  new Map(
    familyOf(root).flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread): [string, number] => {
        const [nanoseconds = '0'] = readText(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
        return [`${pid} ${thread}`, Number(nanoseconds) / 1e6];
      }),
    ),
  );

/** Processor time since an earlier reading, without that of threads that have ended. */
export const threadMsSince = (before: ThreadTimes, root: number): number =>
  sumOf([...threadTimesOf(root)].map(([thread, ms]) => ms - (before.get(thread) ?? 0)));
