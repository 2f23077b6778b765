/**
 * Collects documents in ascending DocId order into as many new segments as the memory budget
 * requires, and writes each durably.
 */
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentEntry } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import { planFiles, type WantedFile } from '../../segments/components.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import type { DocumentEntries } from '../../segments/contract/document-entries.ts';
import { SegmentFiles } from './segment-files.ts';

export interface AssemblerOptions {
  readonly directory: Directory;
  readonly settings: Settings;
  /** That of the settings. */
  readonly analyzer: () => Analyzer;
  /** The files that each segment gets; absent = all files of the settings. */
  readonly files?: readonly WantedFile[];
  /** The segments are named `<prefix>-0`, `<prefix>-1` …; never used before in this index. */
  readonly idPrefix: string;
  /** A segment ends when its documents hold this many bytes of JSON … */
  readonly rawBytesMax: number;
  /** … or its builders this much memory. */
  readonly memoryBytesMax: number;
}

/** Reading the builders' memory after every document would cost too much. */
const MEMORY_CHECK_DOCUMENTS = 64;

interface OpenSegment {
  readonly id: string;
  readonly files: SegmentFiles;
  documentCount: number;
  rawBytes: number;
}

export class SegmentAssembler implements DocumentSink {
  readonly #options: AssemblerOptions;
  readonly #files: readonly WantedFile[];
  readonly #entries: SegmentEntry[] = [];
  #current: OpenSegment | null = null;

  constructor(options: AssemblerOptions) {
    this.#options = options;
    this.#files = options.files ?? planFiles([], options.settings).build;
  }

  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    this.#current ??= this.#open();
    const segment = this.#current;
    segment.files.add(docId, id, tape, entries);
    segment.documentCount += 1;
    segment.rawBytes += tape.end(0) - tape.start(0);
    if (this.#isFull(segment)) this.#write(segment);
  }

  /** Writes the remaining documents; returns all segments written. */
  finish(): SegmentEntry[] {
    if (this.#current !== null) this.#write(this.#current);
    return this.#entries;
  }

  #open(): OpenSegment {
    const { directory, idPrefix, settings, analyzer } = this.#options;
    const id = `${idPrefix}-${this.#entries.length}`;
    const input = { segmentId: id, settings, analyzer };
    const files = new SegmentFiles(directory, { wanted: this.#files, id }, input);
    return { id, files, documentCount: 0, rawBytes: 0 };
  }

  #isFull({ files, documentCount, rawBytes }: OpenSegment): boolean {
    if (rawBytes >= this.#options.rawBytesMax) return true;
    if (documentCount % MEMORY_CHECK_DOCUMENTS !== 0) return false;
    return files.memoryBytes >= this.#options.memoryBytesMax;
  }

  #write({ id, files, documentCount }: OpenSegment): void {
    this.#entries.push({
      id,
      documentCount,
      deadCount: 0,
      tombstones: null,
      files: files.finish(),
    });
    this.#current = null;
  }
}
