/**
 * Exports stored documents so that an import restores them exactly: one per line, with the vectors
 * of separate files in the long form of `_vectors` (api.md 12.6).
 */
import { isObject } from '../../core/json.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { Settings } from '../../model/settings.ts';
import { vectorJson } from '../../model/vector-json.ts';
import { vectorsNode } from '../../segments/contract/document-entries.ts';
import { type StoredEmbedder, storedEmbedders } from '../../segments/vectors/stored-embedders.ts';
import type { LiveVectors } from './live-vectors.ts';

export interface DocumentLines {
  readonly lines: Uint8Array;
  readonly documentCount: number;
  /** First DocId of the next call, null = all are done. */
  readonly nextDocId: number | null;
}

interface LinesInput {
  readonly segments: readonly LiveVectors[];
  readonly settings: Pick<Settings, 'embedders'>;
  readonly fromDocId: number;
  /** The lines end when they have this many bytes. */
  readonly bytesMax: number;
}

/** In the order of their DocIds. */
export function wholeDocuments({
  segments,
  settings,
  fromDocId,
  bytesMax,
}: LinesInput): DocumentLines {
  const end = Math.max(0, ...segments.map(({ reader }) => reader.ranks.end));
  const writer = new LineWriter(storedEmbedders(settings));
  let documentCount = 0;
  let docId = fromDocId;
  for (; docId < end && writer.out.length < bytesMax; docId++) {
    const owner = segments.find(
      ({ reader, dead }) => isLive(docId, dead) && reader.ranks.rankOf(docId) >= 0,
    );
    if (owner === undefined) continue;
    writer.write(docId, owner);
    documentCount++;
  }
  return { lines: writer.out.copy(), documentCount, nextDocId: docId < end ? docId : null };
}

const decoder = new TextDecoder();
const KEY_OF_VECTORS = `${JSON.stringify(VECTORS_FIELD)}:`;

class LineWriter {
  readonly out = new ByteBuffer();
  readonly #embedders: readonly StoredEmbedder[];
  readonly #tape = new JsonTape();

  constructor(embedders: readonly StoredEmbedder[]) {
    this.#embedders = embedders;
  }

  write(docId: number, { reader, vectors }: LiveVectors): void {
    const json = reader.readDocument(docId);
    const embedded = this.#embedders.flatMap((embedder) => {
      const kept = vectors.get(embedder.name)?.vectorsOf(docId) ?? [];
      return kept.length === 0 ? [] : [{ embedder, kept }];
    });
    if (embedded.length === 0) this.out.pushRange(json, 0, json.length);
    else {
      this.#tape.scan(json, 0, json.length);
      const entries = embedded.map(
        ({ embedder, kept }) => [embedder.name, this.#longForm(embedder, kept)] as const,
      );
      this.#writeWith(new Map(entries));
    }
    this.out.pushText('\n');
  }

  #longForm({ name, isUserProvided }: StoredEmbedder, kept: readonly Float32Array[]): string {
    const regenerate = this.#leavesVectors(name, !isUserProvided);
    return `{"embeddings":[${kept.map(vectorJson).join(',')}],"regenerate":${regenerate}}`;
  }

  /**
   * Whether the document's entry says so.
   * @param byDefault whether the embedder makes the vectors of a document without an entry
   */
  #leavesVectors(name: string, byDefault: boolean): boolean {
    const tape = this.#tape;
    const vectors = vectorsNode(tape);
    const key = vectors < 0 ? undefined : this.#keys(vectors).find((at) => this.#name(at) === name);
    if (key === undefined) return byDefault;
    const text = tape.bytes.subarray(tape.start(key + 1), tape.end(key + 1));
    const entry: unknown = JSON.parse(decoder.decode(text));
    return isObject(entry) && entry['regenerate'] === true;
  }

  /** The document of the tape, with these entries of `_vectors` instead of its own. */
  #writeWith(entries: ReadonlyMap<string, string>): void {
    const tape = this.#tape;
    const vectors = vectorsNode(tape);
    const own =
      vectors < 0 ? [] : this.#keys(vectors).filter((key) => !entries.has(this.#name(key)));
    this.out.pushText('{');
    for (const key of this.#keys(0)) {
      if (key + 1 === vectors) continue;
      this.#writeMember(key);
      this.out.pushText(',');
    }
    this.out.pushText(`${KEY_OF_VECTORS}{`);
    for (const key of own) {
      this.#writeMember(key);
      this.out.pushText(',');
    }
    const members = [...entries].map(([name, entry]) => `${JSON.stringify(name)}:${entry}`);
    this.out.pushText(`${members.join(',')}}}`);
  }

  #writeMember(key: number): void {
    this.out.pushRange(this.#tape.bytes, this.#tape.start(key), this.#tape.end(key + 1));
  }

  #name(key: number): string {
    return stringText(this.#tape, key);
  }

  #keys(object: number): number[] {
    const keys: number[] = [];
    const after = this.#tape.next(object);
    for (let key = object + 1; key < after; key = this.#tape.next(key + 1)) keys.push(key);
    return keys;
  }
}
