/**
 * Start here: a ranked document → its hit as JSON, with `_formatted`, `_matchesPosition` and scores
 * if requested (relevance.md 6).
 */

import { Deadline } from '../../core/deadline.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import type { GeoPoint } from '../../engine/columns/haversine.ts';
import { appendMembers, closeObject, reopenObject } from '../../engine/json/append-members.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { type LeafWriter, ValueReplacer } from '../../engine/json/replace-values.ts';
import { hasSubstrings } from '../../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { localesOfPath } from '../../model/localized-attributes.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { QueryGraph } from '../query/query-node.ts';
import type { RankedDocument } from '../ranking/bucket-sort.ts';
import { rankingScore, type ScoredLevel, scoreDetails } from '../ranking/ranking-score.ts';
import { locateDocument } from '../snapshot/document-place.ts';
import { mayHaveField } from '../snapshot/field-names.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { retrievedFields, StoredDocumentWriter } from '../snapshot/stored-document.ts';
import type { DocumentGroup } from '../values/grouped-documents.ts';
import { foreignDocumentWriters } from './foreign-documents.ts';
import { DocumentTexts } from './formatting/document-texts.ts';
import { type FieldFormats, FieldPlan } from './formatting/field-plan.ts';
import { DocumentFormatter } from './formatting/format-document.ts';
import { FormatRules, needsFormatting } from './formatting/format-rules.ts';
import { geoDistance, sortPoint } from './formatting/geo-distance.ts';
import { matchPositions } from './formatting/match-positions.ts';
import { MatchingWords } from './formatting/matching-words.ts';

/** Adds the group of a hit to the last hit of the buffer. @param write writes a hit of the group */
export function appendGroup<Member>(
  { value, count, members }: DocumentGroup<Member>,
  out: ByteBuffer,
  write: (member: Member) => void,
): void {
  reopenObject(out);
  out.pushText(`"_group":{"value":${JSON.stringify(value)},"count":${count},"hits":[`);
  members.forEach((member, i) => {
    if (i > 0) out.pushText(',');
    write(member);
  });
  out.pushText(']}');
  closeObject(out);
}

/** Writes the hits of one answer. */
export class HitWriter {
  readonly #snapshot: IndexSnapshot;
  readonly #request: SearchRequest;
  readonly #documents: StoredDocumentWriter;
  /** Replaces foreign keys; null when the search has no access to other indexes. */
  readonly #foreignKeys: ValueReplacer | null;
  readonly #formatting: Formatting | null;
  readonly #sortPoint: GeoPoint | null;
  /** JSON of scores by levels, which the documents of one bucket share. */
  readonly #scores = new Map<readonly ScoredLevel[], string>();

  /** @param query null for a placeholder search */
  constructor(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    query: QueryGraph | null,
    foreign: ForeignIndexes = NO_FOREIGN_INDEXES,
    deadline = Deadline.never(),
  ) {
    const { displayedAttributes } = snapshot.manifest.settings;
    const retrieved = retrievedFields(displayedAttributes, request.attributesToRetrieve);
    this.#snapshot = snapshot;
    this.#request = request;
    const writers = foreignDocumentWriters(foreign, deadline);
    this.#foreignKeys = writers.size === 0 ? null : new ValueReplacer(writers);
    this.#formatting = needsFormatting(request)
      ? new Formatting(snapshot, request, query, { retrieved, writers, deadline })
      : null;
    this.#documents = new StoredDocumentWriter(snapshot, {
      fields: retrieved,
      vectors: request.retrieveVectors ? 'all' : 'none',
      ...(this.#formatting === null ? {} : { alsoRead: this.#formatting.fields }),
    });
    this.#sortPoint = sortPoint(request.sort);
  }

  /** @param federation JSON members after those of the document, without outer commas */
  write({ doc, levels }: RankedDocument, out: ByteBuffer, federation = ''): void {
    const place = locateDocument(this.#snapshot, doc);
    if (!place) throw new Error(`document ${doc} is ranked but stored nowhere`);
    const start = out.length;
    const json = this.#documents.write(place, out);
    const distance = this.#sortPoint && geoDistance(out.view().subarray(start), this.#sortPoint);
    this.#foreignKeys?.rewrite(out, start);
    if (distance !== null) appendMembers(out, `"_geoDistance":${distance}`);
    if (federation !== '') appendMembers(out, federation);
    if (json !== null) this.#formatting?.appendTo(json, out);
    if (this.#request.showRankingScore || this.#request.showRankingScoreDetails) {
      appendMembers(out, this.#scoreMembers(levels));
    }
  }

  #scoreMembers(levels: readonly ScoredLevel[]): string {
    return getOrCompute(this.#scores, levels, () => scoreMembers(this.#request, levels));
  }
}

/** Fields that hits show. */
interface ShownFields {
  /** null = all. */
  readonly retrieved: readonly string[] | null;
  /** Of foreign keys, by path. */
  readonly writers: ReadonlyMap<string, LeafWriter>;
  readonly deadline: Deadline;
}

/** `_formatted` and `_matchesPosition` of the hits of one answer. */
class Formatting {
  readonly #tape = new JsonTape();
  readonly #texts: DocumentTexts;
  /** null when the request formats no attribute. */
  readonly #formatter: DocumentFormatter | null;
  /** Displayed fields; null when the request does not ask for positions. */
  readonly #matchedFields: FieldPlan | null;
  /** Paths of the fields to read; null = all. */
  readonly fields: readonly string[] | null;

  constructor(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    query: QueryGraph | null,
    { retrieved, writers, deadline }: ShownFields,
  ) {
    const displayed = explicitFields(snapshot.manifest.settings.displayedAttributes);
    const ranks = fieldRanks(snapshot);
    const shown = displayed && new Set(displayed);
    const isKnown = (name: string): boolean => mayHaveField(snapshot, name);
    const rules = new FormatRules(request, (name) => (shown?.has(name) ?? true) && isKnown(name));
    const hasEmbedders = Object.keys(snapshot.manifest.settings.embedders).length > 0;
    const fieldRules: FieldFormats = {
      formatOf: (path) => rules.formatOf(path),
      localesOf: (path) => request.locales ?? localesOfPath(snapshot.manifest.settings, path),
      hasParts: (path) => hasSubstrings(snapshot.manifest.settings, path),
      writerOf: (path) => writers.get(path) ?? null,
      isHidden: (field) => hasEmbedders && field === VECTORS_FIELD,
      rankOf: (field) => ranks.get(field) ?? 0,
    };
    this.#texts = new DocumentTexts(
      snapshot.analyzer,
      new MatchingWords(snapshot, query),
      this.#tape,
      deadline,
    );
    const planOf = (fields: readonly string[] | null): FieldPlan =>
      FieldPlan.ofDocument(fields, fieldRules);
    const formatted = formattedFields(rules, displayed, retrieved)?.filter(isKnown) ?? null;
    const plan = planOf(formatted);
    const parts = { tape: this.#tape, texts: this.#texts, plan, request };
    this.#formatter = rules.isEmpty ? null : new DocumentFormatter(parts);
    const matched = displayed === formatted ? plan : planOf(displayed);
    this.#matchedFields = request.showMatchesPosition ? matched : null;
    const looked = [
      ...(this.#formatter ? [formatted] : []),
      ...(this.#matchedFields ? [displayed] : []),
    ];
    this.fields = looked.includes(null) ? null : looked.flatMap((fields) => fields ?? []);
  }

  /** Adds the members to the last hit of the buffer. @param json the document with `fields` */
  appendTo(json: Uint8Array, out: ByteBuffer): void {
    this.#tape.scan(json, 0, json.length);
    this.#texts.clear();
    if (this.#formatter) {
      const before = reopenObject(out);
      out.pushText('"_formatted":');
      if (!this.#formatter.write(out)) out.length = before;
      closeObject(out);
    }
    if (this.#matchedFields) {
      appendMembers(
        out,
        `"_matchesPosition":${matchPositions(this.#tape, this.#texts, this.#matchedFields)}`,
      );
    }
  }
}

/** null = all. */
const explicitFields = (names: readonly string[]): readonly string[] | null =>
  names.includes('*') ? null : names;

/** Fields of `_formatted`: fields with a rule and retrieved fields; null = all. */
function formattedFields(
  rules: FormatRules,
  displayed: readonly string[] | null,
  retrieved: readonly string[] | null,
): readonly string[] | null {
  const named = rules.names ?? displayed;
  return named === null || retrieved === null ? null : [...named, ...retrieved];
}

/** Computed once per snapshot: an index may have as many shapes as documents. */
const knownRanks = new WeakMap<IndexSnapshot, ReadonlyMap<string, number>>();

/** Top-level fields by the order in which the index first saw them. */
function fieldRanks(snapshot: IndexSnapshot): ReadonlyMap<string, number> {
  return getOrCompute(knownRanks, snapshot, () => {
    const ranks = new Map<string, number>();
    for (const { shapes } of snapshot.segments)
      for (const names of shapes)
        for (const name of names) if (!ranks.has(name)) ranks.set(name, ranks.size);
    return ranks;
  });
}

function scoreMembers(request: SearchRequest, levels: readonly ScoredLevel[]): string {
  const members: string[] = [];
  if (request.showRankingScore) members.push(`"_rankingScore":${rankingScore(levels)}`);
  if (request.showRankingScoreDetails)
    members.push(`"_rankingScoreDetails":${JSON.stringify(scoreDetails(levels))}`);
  return members.join(',');
}
