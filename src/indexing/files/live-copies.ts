/** Stored documents with all their vector information, each read once. */
import type { StoredVectors } from '../../embedding/vector-action.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import { DocumentEntries, type VectorList } from '../../segments/contract/document-entries.ts';
import type { StoredEmbedder } from '../../segments/vectors/stored-embedders.ts';
import type { LiveVectors } from './live-vectors.ts';

const decoder = new TextDecoder();

export class LiveCopy {
  readonly #segment: LiveVectors;
  readonly #docId: number;
  readonly tape: JsonTape;
  readonly entries: DocumentEntries;

  constructor(segment: LiveVectors, docId: number, tape: JsonTape, entries: DocumentEntries) {
    const json = segment.reader.readDocument(docId);
    tape.scan(json, 0, json.length);
    this.#segment = segment;
    this.#docId = docId;
    this.tape = tape;
    this.entries = entries.begin(tape);
  }

  /** Its vectors in the file of the embedder. */
  storedVectors(embedder: string): VectorList {
    const file = this.#segment.vectors.get(embedder);
    return {
      vectors: file?.vectorsOf(this.#docId) ?? [],
      fragments: file?.fragmentsOf(this.#docId) ?? [],
    };
  }

  /** @param embedder as it was when the document was written */
  stateOf(embedder: StoredEmbedder): StoredVectors {
    const entry = this.entries.get(embedder);
    if (entry !== null && !entry.regenerate) return entry.hasVectors ? 'given' : 'optedOut';
    if (entry !== null && embedder.isUserProvided) return 'generated';
    const file = this.#segment.vectors.get(embedder.name);
    if (file === undefined || !hasBit(file.documents, this.#docId)) return 'none';
    return embedder.isUserProvided ? 'given' : 'generated';
  }

  /** Its `_vectors` entry of an embedder that it names. */
  jsonOf(embedder: string): string {
    const node = this.entries.node(embedder);
    return decoder.decode(this.tape.bytes.subarray(this.tape.start(node), this.tape.end(node)));
  }

  /** As templates see it. */
  get json(): Readonly<Record<string, unknown>> {
    return documentJson(this.tape);
  }
}

export const documentJson = (tape: JsonTape): Readonly<Record<string, unknown>> =>
  JSON.parse(decoder.decode(tape.bytes.subarray(tape.start(0), tape.end(0)))) as Readonly<
    Record<string, unknown>
  >;

/** The segment in which the document lives. */
export const holderOf = (segments: readonly LiveVectors[], docId: number) =>
  segments.find(({ reader, dead }) => isLive(docId, dead) && reader.ranks.rankOf(docId) >= 0);

export class LiveCopies {
  readonly #segments: readonly LiveVectors[];
  readonly #tape = new JsonTape();
  readonly #entries = new DocumentEntries();

  constructor(segments: readonly LiveVectors[]) {
    this.#segments = segments;
  }

  /** Valid until the next call; null if no document with the DocId is alive. */
  find(docId: number): LiveCopy | null {
    const segment = holderOf(this.#segments, docId);
    return segment === undefined ? null : new LiveCopy(segment, docId, this.#tape, this.#entries);
  }
}
