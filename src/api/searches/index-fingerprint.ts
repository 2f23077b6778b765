/**
 * The fingerprint of an index: the sums of all documents of its segments, dead or alive, minus those of
 * the dead ones. Both are kept (kept-fingerprints.ts). Query threads read one range of a segment at a
 * time, so that searches come between.
 */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import {
  FINGERPRINT_PARTS,
  type FingerprintParts,
  FingerprintSum,
  partDigits,
} from '../../model/document-fingerprint.ts';
import type {
  DocumentFingerprint,
  FingerprintRange,
  FingerprintReply,
  FingerprintRequest,
} from '../../model/fingerprint.ts';
import type { SegmentEntry } from '../../model/index-manifest.ts';
import type { ApiContext } from '../contract/context.ts';
import type { SegmentSums, Summed } from '../contract/kept-fingerprints.ts';
import { readIndex, requireIndex } from './index-reader.ts';

/** Documents of one task of a query thread: 20 to 60 ms. */
const RANGE_DOCUMENTS = 4096;
/** The files of a generation can be deleted while it is read; then the newest one is read. */
const ATTEMPTS_MAX = 5;

/** Another generation was read than the one that began. */
class GenerationChanged extends Error {}

interface Reading {
  readonly context: ApiContext;
  readonly index: PublishedIndex;
  readonly caller: Requester;
}

type Read<Result> = (reading: Reading) => Promise<Result>;

/** Sum of all live documents. @throws ApiError */
export const indexFingerprint = (
  context: ApiContext,
  uid: string,
  caller: Requester,
): Promise<FingerprintSum> => ofOneGeneration(context, uid, caller, sumOf);

/** Fingerprints of live documents whose `idDigest` begins with one of `prefixes`. @throws ApiError */
export const documentFingerprints = (
  context: ApiContext,
  uid: string,
  prefixes: readonly string[],
  caller: Requester,
): Promise<DocumentFingerprint[]> =>
  ofOneGeneration(context, uid, caller, (reading) => listOf(reading, prefixes));

async function ofOneGeneration<Result>(
  context: ApiContext,
  uid: string,
  caller: Requester,
  read: Read<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read({ context, index: requireIndex(context, uid), caller });
    } catch (error) {
      if (!(error instanceof GenerationChanged)) throw error;
      if (attempt === ATTEMPTS_MAX)
        throw new ApiError(
          'search_timeout',
          `Index \`${uid}\` changed ${ATTEMPTS_MAX} times while its documents were read: retry when fewer tasks are processed.`,
        );
    }
  }
}

async function sumOf(reading: Reading): Promise<FingerprintSum> {
  const { manifest } = reading.index;
  const { keptFingerprints: kept, indexes } = reading.context;
  const sums = await kept.of(manifest.id);
  const total = new FingerprintSum();
  try {
    for (const segment of manifest.segments) {
      total.addParts(await segmentParts(reading, sums, segment, 'all'), 1);
      if (segment.deadCount > 0)
        total.addParts(await segmentParts(reading, sums, segment, 'dead'), -1);
    }
  } finally {
    await kept.save(sums, manifest, () => indexes.list().map((each) => each.manifest.id));
  }
  return total;
}

/** The next request goes on where this one fails. */
async function segmentParts(
  reading: Reading,
  sums: SegmentSums,
  segment: SegmentEntry,
  summed: Summed,
): Promise<FingerprintParts> {
  const begun = sums.get(segment, summed);
  if (begun?.end === segment.documentCount) return begun.parts;
  const sum = new FingerprintSum();
  if (begun !== undefined) sum.addParts(begun.parts, 1);
  for (const range of rangesOf(segment, begun?.end ?? 0)) {
    sum.addParts((await foundIn(reading, { ...range, sum: summed })) as FingerprintParts, 1);
    sums.set(segment, summed, { end: range.to, parts: sum.parts });
  }
  return sum.parts;
}

async function listOf(
  reading: Reading,
  prefixes: readonly string[],
): Promise<DocumentFingerprint[]> {
  const listed: DocumentFingerprint[] = [];
  for (const range of reading.index.manifest.segments.flatMap((each) => rangesOf(each, 0))) {
    const found = await foundIn(reading, { ...range, list: prefixes });
    listed.push(...(found as readonly DocumentFingerprint[]));
    if (listed.length > limits.fingerprintDocumentsMax)
      throw new ApiError(
        'invalid_fingerprint_documents',
        `\`documents\` selects more than ${limits.fingerprintDocumentsMax} documents of index \`${reading.index.manifest.uid}\`: send fewer beginnings, or longer ones.`,
      );
  }
  return listed;
}

async function foundIn(
  { context, index, caller }: Reading,
  request: FingerprintRequest,
): Promise<NonNullable<FingerprintReply['found']>> {
  const work = { kind: 'fingerprint', request } as const;
  const bytes = await readIndex(context, { index, work }, caller);
  const { generation, found } = JSON.parse(Buffer.from(bytes).toString()) as FingerprintReply;
  if (generation !== index.manifest.generation || found === null) throw new GenerationChanged();
  return found;
}

/** @param start rank of the first document */
function rangesOf({ id: segmentId, documentCount }: SegmentEntry, start: number) {
  const ranges: FingerprintRange[] = [];
  for (let from = start; from < documentCount; from += RANGE_DOCUMENTS)
    ranges.push({ segmentId, from, to: Math.min(from + RANGE_DOCUMENTS, documentCount) });
  return ranges;
}

/** `parts` of an answer: the non-empty parts, by their two digits. */
export function partsAnswer({ counts, sums }: FingerprintParts): object[] {
  const parts: object[] = [];
  for (let part = 0; part < FINGERPRINT_PARTS; part++)
    if (counts[part] !== 0)
      parts.push({
        prefix: partDigits(part),
        numberOfDocuments: counts[part],
        fingerprint: sums[part],
      });
  return parts;
}
