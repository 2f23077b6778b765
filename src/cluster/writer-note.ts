/**
 * The node that writes a store, noted in the store itself: ("meta", "writer") → JSON of
 * `WriterNote`. Only the process that holds SlateDB open for writing can change it, so a writer that
 * was replaced cannot overwrite the note of its successor.
 */
import { WRITER_KEY } from '../storage/database/change-log.ts';
import {
  type KeyValueReader,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

export interface WriterNote {
  readonly nodeId: string;
  /** URL at which other nodes reach it. */
  readonly url: string;
  /** Number of this note; each heartbeat writes the next one. */
  readonly beat: number;
  /** True after an orderly stop: another node may write at once. */
  readonly hasStopped: boolean;
}

export const writerNote = (note: WriterNote): WriteOperation =>
  put(WRITER_KEY, new TextEncoder().encode(JSON.stringify(note)));

/** null before the first writer. */
export async function readWriterNote(store: KeyValueReader): Promise<WriterNote | null> {
  const value = await store.get(WRITER_KEY);
  return value === null ? null : (JSON.parse(new TextDecoder().decode(value)) as WriterNote);
}
