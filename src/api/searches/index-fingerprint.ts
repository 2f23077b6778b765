/**
 * The fingerprint of an index, summed up from ranges of its segments. Files never change, so the sum
 * of a range over all of its documents, dead or alive, is kept; dead documents are read and
 * subtracted each time. Query threads read one range at a time, so that searches come between.
 */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { MemoMap } from '../../core/memo-map.ts';
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
import type { ApiContext } from '../contract/context.ts';
import { readIndex, requireIndex } from './index-reader.ts';

/** Documents of one task of a query thread: 20 to 60 ms. */
const RANGE_DOCUMENTS = 4096;
/** Kept ranges, of about 24 KB each: those of eight million documents. */
const KEPT_RANGES_MAX = 2048;
/** The files of a generation can be deleted while it is read; then the newest one is read. */
const ATTEMPTS_MAX = 5;

export const createKeptFingerprints = (): MemoMap<string, FingerprintParts> =>
  new MemoMap(KEPT_RANGES_MAX);

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
  const sum = new FingerprintSum();
  for (const { range, deadCount } of rangesOf(reading.index)) {
    sum.addParts(await allOf(reading, range), 1);
    if (deadCount > 0) sum.addParts(await partsOf(reading, { ...range, sum: 'dead' }), -1);
  }
  return sum;
}

async function allOf(reading: Reading, range: FingerprintRange): Promise<FingerprintParts> {
  const { keptFingerprints: kept } = reading.context;
  const key = `${reading.index.manifest.id}/${range.segmentId}/${range.from}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const parts = await partsOf(reading, { ...range, sum: 'all' });
  kept.set(key, parts);
  return parts;
}

const partsOf = (reading: Reading, request: FingerprintRequest): Promise<FingerprintParts> =>
  foundIn(reading, request) as Promise<FingerprintParts>;

async function listOf(
  reading: Reading,
  prefixes: readonly string[],
): Promise<DocumentFingerprint[]> {
  const listed: DocumentFingerprint[] = [];
  for (const { range } of rangesOf(reading.index)) {
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
  const bytes = await readIndex(context, index, { kind: 'fingerprint', request }, caller);
  const { generation, found } = JSON.parse(Buffer.from(bytes).toString()) as FingerprintReply;
  if (generation !== index.manifest.generation || found === null) throw new GenerationChanged();
  return found;
}

/** All ranges of the segments, with the number of dead documents of their segment. */
function* rangesOf({ manifest }: PublishedIndex) {
  for (const { id: segmentId, documentCount, deadCount } of manifest.segments)
    for (let from = 0; from < documentCount; from += RANGE_DOCUMENTS)
      yield {
        range: { segmentId, from, to: Math.min(from + RANGE_DOCUMENTS, documentCount) },
        deadCount,
      };
}

/** `parts` of an answer: those that are not empty, by their two digits. */
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
