/**
 * Verifies the segment files of one index against its manifest: checksums, documents, ids,
 * tombstones and counts. Reads every byte.
 */

import type { Directory, MappedFile } from '../../src/engine/segment/directory.ts';
import { SegmentReader } from '../../src/engine/segment/segment-reader.ts';
import { countAnd, countBits, makeBitset, setBit, wordsFor } from '../../src/engine/sets/bitset.ts';
import { decodeTombstones, isLive } from '../../src/engine/sets/tombstones.ts';
import { VECTORS_FIELD } from '../../src/model/embedders/embedder-settings.ts';
import type { IndexManifest, SegmentEntry, SegmentFile } from '../../src/model/index-manifest.ts';
import { componentOf, isOfDocuments, planFiles } from '../../src/segments/components.ts';

export interface IndexReport {
  readonly uid: string;
  readonly id: number;
  readonly generation: number;
  readonly segmentCount: number;
  /** Number of live documents found. */
  readonly documentCount: number;
  readonly bytes: number;
  /** Empty when the index is intact. */
  readonly problems: readonly string[];
}

/** Problems of one index that are listed; further problems are only counted. */
const PROBLEMS_MAX = 100;

/** Live documents of the segments verified so far. */
class Living {
  /** Text of an id → its segment. */
  readonly ids = new Map<string, string>();
  /** DocId → its segment. */
  readonly docIds = new Map<number, string>();
}

export function verifyIndex(manifest: IndexManifest, directory: Directory): IndexReport {
  const problems: string[] = [];
  let hidden = 0;
  const report = (problem: string) => {
    if (problems.length < PROBLEMS_MAX) problems.push(problem);
    else hidden++;
  };
  const living = new Living();
  const seen = new Set<string>();
  let bytes = 0;
  for (const entry of manifest.segments) {
    if (seen.has(entry.id)) report(`segment ${entry.id} is named twice`);
    seen.add(entry.id);
    for (const file of entry.files) bytes += verifyFile(entry, file, directory, living, report);
    const { build } = planFiles(entry.files, manifest.settings);
    for (const { component, covers } of build)
      report(`segment ${entry.id} has no ${componentOf(component).describe(covers)}`);
  }
  const expected = manifest.segments.reduce(
    (sum, { documentCount, deadCount }) => sum + documentCount - deadCount,
    0,
  );
  if (living.docIds.size !== expected)
    report(`the manifest counts ${expected} documents, the segments hold ${living.docIds.size}`);
  if (expected > 0 && manifest.primaryKey === null)
    report('the index has documents but no primary key');
  if (hidden > 0) problems.push(`and ${hidden} more`);
  const { uid, id, generation, segments } = manifest;
  return {
    uid,
    id,
    generation,
    segmentCount: segments.length,
    documentCount: living.docIds.size,
    bytes,
    problems,
  };
}

/** Returns the size of the file. */
function verifyFile(
  entry: SegmentEntry,
  { component, name, bytes: expectedBytes }: SegmentFile,
  directory: Directory,
  living: Living,
  report: (problem: string) => void,
): number {
  const inFile = (problem: string) => report(`segment ${entry.id}, ${name}: ${problem}`);
  let file: MappedFile;
  try {
    file = directory.open(name);
  } catch (error) {
    inFile(`the file cannot be opened: ${messageOf(error)}`);
    return 0;
  }
  try {
    const { length } = file.bytes;
    if (length !== expectedBytes)
      inFile(`the file has ${length} bytes, the manifest says ${expectedBytes}`);
    componentOf(component).open(name, file.bytes).verify();
    if (isOfDocuments({ component }))
      verifyDocuments(entry, new SegmentReader(name, file.bytes), living, inFile);
    return length;
  } catch (error) {
    inFile(messageOf(error));
    return 0;
  } finally {
    file.close();
  }
}

function verifyDocuments(
  entry: SegmentEntry,
  reader: SegmentReader,
  living: Living,
  report: (problem: string) => void,
): void {
  const { docIds, documentCount } = reader;
  if (documentCount !== entry.documentCount)
    report(`the file has ${documentCount} documents, the manifest says ${entry.documentCount}`);
  if (docIds.some((docId, i) => i > 0 && docId <= (docIds[i - 1] ?? 0)))
    report('its DocIds do not ascend');
  const dead = verifyTombstones(entry, docIds, report);
  for (const docId of docIds) {
    if (!isLive(docId, dead)) continue;
    const id = verifyDocument(reader, docId, report);
    const otherPlace = living.docIds.get(docId);
    if (otherPlace !== undefined) report(`DocId ${docId} lives in segment ${otherPlace} too`);
    living.docIds.set(docId, entry.id);
    const sameId = living.ids.get(id);
    if (sameId !== undefined)
      report(`document ${JSON.stringify(id)} lives in segment ${sameId} too`);
    living.ids.set(id, entry.id);
  }
}

function verifyTombstones(
  { tombstones, deadCount }: SegmentEntry,
  docIds: Uint32Array,
  report: (problem: string) => void,
): Uint32Array | null {
  const words = wordsFor((docIds[docIds.length - 1] ?? 0) + 1);
  const dead = decodeTombstones(tombstones, words);
  if (dead === null) {
    if (deadCount !== 0) report(`the manifest counts ${deadCount} dead documents but names none`);
    return null;
  }
  const all = makeBitset(words * 32);
  for (const docId of docIds) setBit(all, docId);
  const outside = countBits(dead) - countAnd(dead, all);
  if (outside > 0) report(`${outside} tombstones are of documents that it does not hold`);
  if (countBits(dead) !== deadCount)
    report(`it has ${countBits(dead)} tombstones, the manifest counts ${deadCount}`);
  return dead;
}

/** Returns the document's id. */
function verifyDocument(
  reader: SegmentReader,
  docId: number,
  report: (problem: string) => void,
): string {
  const idBytes = reader.documentId(docId);
  const id = new TextDecoder().decode(idBytes);
  const found = reader.findDocument(idBytes);
  if (found !== docId)
    report(`document ${JSON.stringify(id)} has DocId ${docId}, but looking it up gives ${found}`);
  try {
    const document: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(reader.readDocument(docId)),
    );
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      throw new Error('it is no object');
    const shape = new Set(reader.shapes[reader.shapeOf(docId)]);
    const names = Object.keys(document);
    // Problems of vector files are not reported twice.
    if (!names.includes(VECTORS_FIELD)) shape.delete(VECTORS_FIELD);
    if (shape.size !== names.length || names.some((name) => !shape.has(name)))
      throw new Error('its field names are not those of its shape');
  } catch (error) {
    report(`document ${JSON.stringify(id)} (DocId ${docId}): ${messageOf(error)}`);
  }
  return id;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
