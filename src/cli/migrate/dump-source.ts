/**
 * Unpacks a dump into a temporary folder and provides its contents for requests to a running
 * server.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json } from '../../core/json.ts';
import { type Dump, DumpRefused } from '../../dumps/format/dump.ts';
import { readDump } from '../../dumps/format/read-dump.ts';
import { mapKey, mapMeilisearchIndex } from '../../migration/from-meilisearch.ts';
import { matcherOf } from '../../model/index-uid-pattern.ts';
import {
  ArchiveRefused,
  DEFAULT_UNPACK_LIMITS,
  unpackArchive,
} from '../../storage/backups/archive.ts';
import { UnpackedDump } from '../../storage/backups/unpacked-dump.ts';
import { CommandFailure } from '../command-failure.ts';
import {
  type MigrationPart,
  type MigrationSource,
  requireIndexes,
  type SourceNote,
} from './migration-source.ts';

interface DumpSourceOptions {
  readonly file: string;
  /** Index uids and patterns. */
  readonly wanted: readonly string[];
  readonly withKeys: boolean;
  readonly partBytes: number;
  /** Milliseconds of the system clock. */
  readonly now: number;
}

/** Position where the documents resume. */
interface Place {
  readonly indexUid: string;
  readonly pieces: number;
}

const LINE_END = 0x0a;

/** Unpacks the dump. @throws CommandFailure */
export async function dumpSource(options: DumpSourceOptions): Promise<MigrationSource> {
  const folder = mkdtempSync(join(tmpdir(), 'gannet-migrate-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    const unpacked = await unpackArchive(options.file, folder, {
      wants: () => true,
      limits: DEFAULT_UNPACK_LIMITS,
      isSynced: false,
      onBytes: () => undefined,
    });
    const files = new UnpackedDump(unpacked);
    const dump = await readDump(files);
    return {
      ...(await keysAndNotes(dump, options)),
      ...documents(dump, files, options),
      close,
    };
  } catch (error) {
    close();
    throw toFailure(error);
  }
}

function documents(
  dump: Dump,
  files: UnpackedDump,
  { wanted, partBytes }: DumpSourceOptions,
): Pick<MigrationSource, 'indexes' | 'parts'> {
  const isWanted = matcherOf(wanted);
  const chosen = dump.indexes
    .filter(({ uid }) => isWanted(uid))
    .sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const indexes = chosen.map((index) => mapMeilisearchIndex(index, {}));
  requireIndexes(indexes, wanted);
  return {
    indexes,
    async *parts(place) {
      try {
        yield* partsOf(chosen, files, partBytes, place);
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

const toFailure = (error: unknown): unknown =>
  error instanceof DumpRefused || error instanceof ArchiveRefused
    ? new CommandFailure(error.message)
    : error;

async function* partsOf(
  indexes: Dump['indexes'],
  files: UnpackedDump,
  partBytes: number,
  place: string | null,
): AsyncGenerator<MigrationPart> {
  const from = place === null ? null : (JSON.parse(place) as Place);
  for (const [i, { uid, primaryKey, documents: file }] of indexes.entries()) {
    if (file === null || (from !== null && uid < from.indexUid)) continue;
    const skipped = uid === from?.indexUid ? from.pieces : 0;
    const done = (i + 1) / indexes.length;
    let pieces = 0;
    for await (const piece of files.pieces(file, partBytes))
      if (++pieces > skipped) yield partOf(piece, { indexUid: uid, pieces }, primaryKey, done);
  }
}

function partOf(
  piece: Uint8Array,
  place: Place,
  primaryKey: string | null,
  done: number,
): MigrationPart {
  const documents = linesIn(piece);
  const lines = Buffer.from(piece).toString();
  const batch = { indexUid: place.indexUid, primaryKey, lines, documents };
  return { batches: documents === 0 ? [] : [batch], notes: [], place: JSON.stringify(place), done };
}

function linesIn(piece: Uint8Array): number {
  let lines = 0;
  for (const byte of piece) if (byte === LINE_END) lines += 1;
  return piece.at(-1) === LINE_END || piece.length === 0 ? lines : lines + 1;
}

/**
 * Returns the parts of a dump that go through the API, with notes on the parts that only `gannet
 * restore` takes.
 */
async function keysAndNotes(
  dump: Dump,
  { withKeys, now }: DumpSourceOptions,
): Promise<Pick<MigrationSource, 'keys' | 'notes'>> {
  const notes: SourceNote[] = [];
  const keys: Json[] = [];
  const only = 'are not migrated: use `gannet restore`';
  const note = (about: string, name: string, message: string) =>
    notes.push({ about, name, message });
  note('dump', 'tasks and batches', only);
  if (dump.webhooks.length > 0) note('dump', 'webhooks', only);
  if (dump.network !== null) note('dump', 'network', only);
  if (dump.chats.length > 0) note('dump', 'chat workspaces', only);
  const features = Object.entries(dump.features).filter(([, isOn]) => isOn === true);
  for (const [name] of features)
    note('dump', `experimental feature ${name}`, 'is not enabled here');
  if (!withKeys) return { notes, keys };
  for await (const key of dump.keys()) {
    const mapped = mapKey(key as unknown as Json, now);
    for (const { name, message } of mapped.notes) note('keys', name, message);
    if (isObject(mapped.draft)) keys.push(mapped.draft);
  }
  return { notes, keys };
}
