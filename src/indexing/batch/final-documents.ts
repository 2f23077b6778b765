/**
 * First half of building: final bytes of every written document, merged into the stored copy if it
 * is an update, with the `_vectors` entries of its earlier versions of the batch.
 */
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { compactInto, isCompact } from '../../engine/json/compact-json.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { mergeDocuments } from '../../engine/json/merge-documents.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import { DocumentEntries } from '../../segments/contract/document-entries.ts';
import type { StoredEmbedder } from '../../segments/vectors/stored-embedders.ts';
import { DocumentWithEntries } from '../files/document-with-entries.ts';
import type { OpenPayloads } from '../payload/open-payloads.ts';
import { CarriedEntries } from './carried-entries.ts';
import type { DocumentWrites } from './document-writes.ts';

interface VersionSources {
  readonly payloads: Pick<OpenPayloads, 'bytes' | 'trim'>;
  /** Live segment by number. */
  segment(index: number): SegmentReader;
  readonly embedders: readonly StoredEmbedder[];
}

/** Scratch space for one document after the other. */
export class FinalDocuments {
  #older = new JsonTape();
  #newer = new JsonTape();
  #text = new ByteBuffer();
  #spareText = new ByteBuffer();
  readonly #id = new ByteBuffer();
  readonly #entries = new DocumentEntries();
  readonly #completed = new DocumentWithEntries();

  /** @throws BatchCanceled */
  feed(
    writes: DocumentWrites,
    sources: VersionSources,
    sink: DocumentSink,
    progress: BatchProgress,
  ): void {
    const carried = new CarriedEntries(sources.embedders);
    for (let i = 0; i < writes.docIds.length; i++) {
      progress.throwIfCanceled();
      progress.advance();
      sources.payloads.trim();
      this.#carry(writes, i, sources, carried);
      this.#resolve(writes, i, sources);
      this.#id.clear();
      this.#id.pushText(writes.ids[i] as string);
      const document = this.#completed.of(this.#older, carried.carried);
      const entries = this.#entries.begin(document);
      sink.add(writes.docIds[i] as number, this.#id.view(), document, entries);
    }
  }

  /** Combined `_vectors` entries of several versions. */
  #carry(
    writes: DocumentWrites,
    index: number,
    sources: VersionSources,
    carried: CarriedEntries,
  ): void {
    carried.begin();
    const start = firstVersion(writes, index);
    const end = writes.versionEnds[index] as number;
    if (end - start < 2 || sources.embedders.length === 0) return;
    for (let version = start; version < end; version++) {
      this.#scanVersion(this.#newer, writes, version, sources);
      carried.add(this.#newer);
    }
  }

  /** Leaves the document's final form on `#older`. */
  #resolve(writes: DocumentWrites, index: number, sources: VersionSources): void {
    let version = firstVersion(writes, index) + (writes.replacedCounts[index] as number);
    const end = writes.versionEnds[index] as number;
    const base = writes.bases[index] as number;
    if (base >= 0) {
      const stored = sources.segment(base).readDocument(writes.docIds[index] as number);
      this.#older.scan(stored, 0, stored.length);
    } else {
      this.#scanVersion(this.#older, writes, version++, sources);
      if (version === end) this.#compact();
    }
    for (; version < end; version++) {
      this.#scanVersion(this.#newer, writes, version, sources);
      this.#text.clear();
      mergeDocuments(this.#older, this.#newer, VECTORS_FIELD, this.#text);
      this.#scanText();
    }
  }

  #compact(): void {
    if (isCompact(this.#older)) return;
    this.#text.clear();
    compactInto(this.#older, this.#text);
    this.#scanText();
  }

  /** Moves the text just written to `#older`; the buffer of the previous text becomes free. */
  #scanText(): void {
    this.#older.scan(this.#text.bytes, 0, this.#text.length);
    [this.#text, this.#spareText] = [this.#spareText, this.#text];
  }

  #scanVersion(
    tape: JsonTape,
    { versions }: DocumentWrites,
    version: number,
    sources: VersionSources,
  ): void {
    const payload = sources.payloads.bytes(versions[version * 3] as number);
    tape.scan(payload, versions[version * 3 + 1] as number, versions[version * 3 + 2] as number);
  }
}

const firstVersion = ({ versionEnds }: DocumentWrites, index: number): number =>
  index === 0 ? 0 : (versionEnds[index - 1] as number);
