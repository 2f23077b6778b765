/** Reads and figures of SlateDB, in the process that writes and in those that follow it. */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import { compareKeys } from './key-encoding.ts';
import type { Entry, KeyRange } from './key-value-store.ts';
import type { MetricsRecorder, SlateIterator, SlateReads } from './slatedb-library.ts';
import type { ValueFormats } from './value-formats.ts';

const READ_AHEAD_BYTES = 1 << 20;
const FETCHES = 4;
/** Reads of one call at the same time: others, and the heartbeat of the writer, wait behind them. */
const READS = 64;

const REQUESTS = 'slatedb.object_store.request_count';

/**
 * Requests that SlateDB has sent to the object store, by method: get, put, list, delete.
 * @param lists estimate, because SlateDB does not count its lists
 */
export function requestCounts(
  recorder: MetricsRecorder,
  lists: number,
): ReadonlyMap<string, number> {
  const counts = new Map([['list', Math.round(lists)]]);
  for (const { labels, value } of recorder.metrics_by_name(REQUESTS)) {
    const method = labels.find(({ key }) => key === 'op')?.value ?? 'other';
    counts.set(method, (counts.get(method) ?? 0) + Number(value[''] ?? 0));
  }
  return counts;
}

/** @param values null = values are read as stored bytes */
export async function readValue(
  reads: SlateReads,
  key: Uint8Array,
  values: ValueFormats | null,
): Promise<Uint8Array | null> {
  const value = await reads.get(key);
  if (value === undefined) return null;
  return values?.decode(key, value) ?? value;
}

/** In the order of the keys. */
export const readValues = (
  keys: readonly Uint8Array[],
  read: (key: Uint8Array) => Promise<Uint8Array | null>,
): Promise<(Uint8Array | null)[]> => mapInParallel(keys, READS, read);

/** Entries of the moment at which the iteration began. */
export async function* readEntries(
  reads: SlateReads | Promise<SlateReads>,
  { gte, lt, reverse = false, limit = Number.POSITIVE_INFINITY }: KeyRange,
  values: ValueFormats | null,
): AsyncIterable<Entry> {
  if (limit === 0 || (gte && lt && compareKeys(gte, lt) >= 0)) return;
  const entries = await (await reads).scan_with_options(
    { start: gte, start_inclusive: true, end: lt, end_inclusive: false },
    {
      durability_filter: 'Memory',
      dirty: false,
      read_ahead_bytes: READ_AHEAD_BYTES,
      // A scan of all entries would push everything else out of the cache.
      cache_blocks: gte !== undefined || lt !== undefined,
      max_fetch_tasks: FETCHES,
      order: reverse ? 'Descending' : 'Ascending',
    },
  );
  try {
    for (let count = 0, calls = 1; count < limit; calls = Math.min(2 * calls, READS)) {
      const wanted = Math.min(calls, limit - count);
      const read = await nextEntries(entries, wanted, reverse);
      for (const { key, value } of read) yield { key, value: values?.decode(key, value) ?? value };
      if (read.length < wanted) return;
      count += wanted;
    }
  } finally {
    entries.dispose();
  }
}

/**
 * Calls at the same time share the wake-ups of threads, which are most of the time of a call. Each gets
 * an entry of its own, in any order.
 * @returns fewer than `count` at the end of the range
 */
async function nextEntries(
  entries: SlateIterator,
  count: number,
  isReverse: boolean,
): Promise<Entry[]> {
  const calls = await Promise.allSettled(Array.from({ length: count }, () => entries.next()));
  const read = calls.flatMap((call) => {
    if (call.status === 'rejected') throw call.reason;
    return call.value ?? [];
  });
  return read.sort((a, b) => (isReverse ? compareKeys(b.key, a.key) : compareKeys(a.key, b.key)));
}
