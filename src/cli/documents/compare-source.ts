/**
 * Finds the documents in which an index and its source differ: first by the sums of 256 parts, then
 * by the documents of the parts that differ.
 */

import type { Json } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import {
  canonicalDocument,
  documentFingerprint,
  FINGERPRINT_PARTS,
  FingerprintSum,
  idDigest,
  partDigits,
} from '../../model/document-fingerprint.ts';
import type { DocumentFingerprint } from '../../model/fingerprint.ts';
import { primaryKeyValue } from '../../model/primary-key-value.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Instance, indexPath } from '../instance-client.ts';
import { Progress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import type { SourceDocument } from './source-documents.ts';

interface Comparison {
  readonly numberOfDocuments: { readonly index: number; readonly source: number };
  readonly fingerprint: string;
  readonly isEqual: boolean;
  /** Ids of the source that the index lacks. */
  readonly missing: readonly string[];
  /** Ids of the index that the source lacks. */
  readonly surplus: readonly string[];
  /** Ids of documents that differ. */
  readonly changed: readonly string[];
  /** More differences may exist: the search for them ended at the limit. */
  readonly isCut: boolean;
}

interface ComparedSource {
  readonly instance: Pick<Instance, 'request'>;
  readonly terminal: Terminal;
  readonly indexUid: string;
  /** Name of the source, for messages. */
  readonly source: string;
  /** Reads the source from its beginning. */
  readonly documents: () => AsyncIterable<SourceDocument>;
  /** Differences after which the search for more ends. */
  readonly differencesMax: number;
}

interface IndexPart {
  readonly prefix: string;
  readonly numberOfDocuments: number;
  readonly fingerprint: string;
}

interface IndexSums {
  readonly numberOfDocuments: number;
  readonly fingerprint: string;
  readonly parts: readonly IndexPart[];
}

/** Beginnings of digests, and the documents that they select at most. */
interface Selection {
  readonly prefixes: string[];
  count: number;
}

/**
 * @param selectedMax documents that one request selects
 * @throws CommandFailure
 */
export async function compareSource(
  compared: ComparedSource,
  selectedMax = SELECTED_MAX,
): Promise<Comparison> {
  const { instance, indexUid, differencesMax } = compared;
  const path = indexPath(indexUid);
  const primaryKey = await primaryKeyOf(instance, indexUid, path);
  const index = await instance.request<IndexSums>('GET', `${path}/fingerprint?parts=true`);
  const source = new FingerprintSum();
  let hasVectors = false;
  await eachDocument(compared, primaryKey, 'reading', (id, document) => {
    hasVectors ||= Object.hasOwn(document, '_vectors');
    source.addDocument(idDigest(id), documentFingerprint(document));
  });
  if (hasVectors) compared.terminal.note(`${compared.source}: \`_vectors\` are not compared`);
  const found: Differences = { missing: [], surplus: [], changed: [] };
  let isCut = false;
  for (const { prefixes } of selectionsOf(index.parts, source, selectedMax)) {
    isCut = countOf(found) >= differencesMax;
    if (isCut) break;
    const query = `documents=${prefixes.join(',')}`;
    const { documents } = await instance.request<{ documents: DocumentFingerprint[] }>(
      'GET',
      `${path}/fingerprint?${query}`,
    );
    const inIndex = new Map(documents.map(({ id, fingerprint }) => [id, fingerprint]));
    const inSource = new Map<string, string>();
    await eachDocument(compared, primaryKey, 'comparing', (id, document) => {
      const digest = idDigest(id);
      if (prefixes.some((prefix) => digest.startsWith(prefix)))
        inSource.set(id, documentFingerprint(document));
    });
    addDifferences(inIndex, inSource, found);
  }
  const { numberOfDocuments } = source.total;
  return {
    numberOfDocuments: { index: index.numberOfDocuments, source: numberOfDocuments },
    fingerprint: index.fingerprint,
    isEqual: countOf(found) === 0,
    missing: found.missing.slice(0, differencesMax),
    surplus: found.surplus.slice(0, differencesMax),
    changed: found.changed.slice(0, differencesMax),
    isCut: isCut || countOf(found) > differencesMax,
  };
}

async function primaryKeyOf(
  instance: ComparedSource['instance'],
  indexUid: string,
  path: string,
): Promise<string> {
  const { primaryKey } = await instance.request<{ primaryKey: string | null }>('GET', path);
  if (primaryKey !== null) return primaryKey;
  throw new CommandFailure(`index ${indexUid} has no documents yet, and no primary key`);
}

async function eachDocument(
  { source, terminal, documents }: ComparedSource,
  primaryKey: string,
  doing: string,
  visit: (id: string, document: Json) => void,
): Promise<void> {
  const progress = new Progress();
  for await (const { document, part, id = primaryKeyValue(document, primaryKey) } of documents()) {
    if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint')
      throw new CommandFailure(
        `${source}: a document has no \`${primaryKey}\`: ${canonicalDocument(document).slice(0, 100)}`,
      );
    visit(String(id), document);
    terminal.progress(progress.line(part, `${source}: ${doing}`));
  }
  terminal.progress(null);
}

/** The parts that differ, in groups that one request may select. */
function* selectionsOf(
  indexParts: readonly IndexPart[],
  source: FingerprintSum,
  selectedMax: number,
): Generator<Selection> {
  const { counts, sums } = source.parts;
  const inIndex = new Map(indexParts.map((part) => [part.prefix, part]));
  let selection: Selection = { prefixes: [], count: 0 };
  for (let part = 0; part < FINGERPRINT_PARTS; part++) {
    const prefix = partDigits(part);
    const { numberOfDocuments = 0, fingerprint = null } = inIndex.get(prefix) ?? {};
    const isEqual = fingerprint === null ? counts[part] === 0 : fingerprint === sums[part];
    if (isEqual && numberOfDocuments === counts[part]) continue;
    for (const [beginning, count] of dividedPart(prefix, numberOfDocuments, selectedMax)) {
      const isFull =
        selection.count + count > selectedMax ||
        selection.prefixes.length === limits.fingerprintPrefixesMax;
      if (isFull && selection.prefixes.length > 0) {
        yield selection;
        selection = { prefixes: [], count: 0 };
      }
      selection.prefixes.push(beginning);
      selection.count += count;
    }
  }
  if (selection.prefixes.length > 0) yield selection;
}

/** Counts of divided parts are estimates, so requests stay well below the limit. */
const SELECTED_MAX = limits.fingerprintDocumentsMax * 0.8;

/** A part, or its 256 parts if it has too many documents for one request. */
const dividedPart = (
  prefix: string,
  count: number,
  selectedMax: number,
): (readonly [string, number])[] =>
  count <= selectedMax
    ? [[prefix, count]]
    : Array.from({ length: FINGERPRINT_PARTS }, (_, part) => [
        `${prefix}${partDigits(part)}`,
        count / FINGERPRINT_PARTS,
      ]);

type Differences = Record<'missing' | 'surplus' | 'changed', string[]>;

const countOf = ({ missing, surplus, changed }: Differences): number =>
  missing.length + surplus.length + changed.length;

function addDifferences(
  inIndex: ReadonlyMap<string, string>,
  inSource: ReadonlyMap<string, string>,
  into: Differences,
): void {
  for (const [id, fingerprint] of inSource) {
    const other = inIndex.get(id);
    if (other === undefined) into.missing.push(id);
    else if (other !== fingerprint) into.changed.push(id);
  }
  for (const id of inIndex.keys()) if (!inSource.has(id)) into.surplus.push(id);
}
