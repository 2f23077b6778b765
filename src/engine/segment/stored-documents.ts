/**
 * Stored JSON documents of a segment, by rank: each compressed by itself with the segment's token
 * table (bytes/token-table.ts).
 *
 *   storedText      for each document: varint length of its codes, codes
 *   storedOffsets   u32 × (⌈n / 4⌉ + 1): where documents 0, 4, 8, … start in storedText, and its end
 *   storedTokens    serialized token table; empty = codes are the text itself
 *
 * and the starts of members after long values, if codes are not the text itself (member-skips.ts).
 */
import { assert } from '../../core/assert.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { NumberList } from '../bytes/number-list.ts';
import { TokenDecoder } from '../bytes/token-decoder.ts';
import { TokenEncoder } from '../bytes/token-encoder.ts';
import { decodedLength, TokenTable } from '../bytes/token-table.ts';
import { trainTokens } from '../bytes/token-trainer.ts';
import { compareBytes } from '../bytes/utf8.ts';
import type { MemberNames } from '../json/member-names.ts';
import { GroupedRuns, GroupedRunsWriter } from './grouped-runs.ts';
import {
  type MemberSkipSections,
  SKIP_GROUP_SHIFT,
  skipSections,
  skipsOf,
} from './member-skips.ts';
import { StoredMembers } from './stored-members.ts';

const GROUP_SHIFT = 2;
/** Uncompressed documents buffered for the sample, so that the sample is spread over them. */
const HELD_BYTES_MAX = 32 << 20;
export const SAMPLE_BYTES = 1 << 20;
/** Smaller segments are stored uncompressed: they are soon merged, and learning takes time. */
export const COMPRESSED_BYTES_MIN = 128 << 10;
const NO_SKIPS = new Uint8Array(0);
/** Longer documents add only their first bytes to a sample. */
export const SAMPLE_TEXT_MAX = 16 << 10;

export interface StoredDocumentSections {
  /** Sum of the documents' lengths. */
  readonly storedBytes: number;
  readonly storedText: Uint8Array;
  readonly storedOffsets: Uint32Array;
  readonly storedTokens: Uint8Array;
  /** null if codes are the text itself. */
  readonly skips: MemberSkipSections | null;
}

export class StoredDocumentsWriter {
  /** Documents buffered until the table is learnt, and where each ends. */
  readonly #held = new ByteBuffer();
  readonly #heldEnds = new NumberList();
  /** null = documents are stored uncompressed. */
  #table: TokenTable | null = null;
  #encoder: TokenEncoder | null = null;
  #started = false;
  readonly #text = new GroupedRunsWriter(GROUP_SHIFT, 1 << 14);
  readonly #skips = new GroupedRunsWriter(SKIP_GROUP_SHIFT, 1 << 10);
  readonly #codes = new ByteBuffer(1 << 12);
  #storedBytes = 0;

  get memoryBytes(): number {
    const held = this.#held.length + this.#heldEnds.length * 4;
    return held + this.#text.memoryBytes + this.#skips.memoryBytes;
  }

  /** Takes an existing table instead of learning one; call before the first document. */
  useTable(table: TokenTable): void {
    assert(this.#storedBytes === 0, 'the token table comes before the first document');
    this.#use(table);
    this.#started = true;
  }

  add(json: Uint8Array): void {
    this.#storedBytes += json.length;
    const held = this.#held.length;
    // A buffer that grows beyond this is copied into one of twice its size.
    if (!this.#started && held > 0 && held + json.length > HELD_BYTES_MAX) this.#start();
    if (this.#started) {
      this.#write(json);
      return;
    }
    this.#held.pushBytes(json);
    this.#heldEnds.push(this.#held.length);
  }

  /** Copies a document from another segment with the table in use. */
  addCopy(from: StoredDocuments, rank: number): void {
    const table = this.#table;
    assert(table !== null, 'codes are copied by the table in use');
    const codes = from.codes(rank);
    const skips = from.skips(rank);
    this.#text.append(codes);
    if (skips === null) {
      const json = from.read(rank);
      this.#storedBytes += json.length;
      this.#skips.append(skipsOf(json, codes, table));
    } else {
      this.#storedBytes += decodedLength(table, codes);
      this.#skips.append(skips);
    }
  }

  finish(): StoredDocumentSections {
    if (!this.#started) this.#start();
    const { runs, offsets } = this.#text.finish();
    assert(runs.length < 2 ** 32, 'stored documents of a segment stay below 4 GB');
    return {
      storedBytes: this.#storedBytes,
      storedText: runs,
      storedOffsets: offsets,
      storedTokens: this.#table?.serialize() ?? new Uint8Array(0),
      skips: this.#table === null ? null : skipSections(this.#skips),
    };
  }

  #use(table: TokenTable): void {
    this.#table = table;
    this.#encoder = new TokenEncoder(table);
  }

  /** Learns the table and writes the buffered documents. */
  #start(): void {
    this.#started = true;
    const { length } = this.#held;
    if (length >= COMPRESSED_BYTES_MIN) this.#use(trainTokens(this.#sample(), length));
    for (const json of this.#heldDocuments()) this.#write(json);
    this.#held.clear();
  }

  *#heldDocuments(): Generator<Uint8Array> {
    let start = 0;
    for (const end of this.#heldEnds.view()) {
      yield this.#held.bytes.subarray(start, end);
      start = end;
    }
  }

  #sample(): Uint8Array[] {
    const sample: Uint8Array[] = [];
    const share = Math.min(1, SAMPLE_BYTES / this.#held.length);
    let taken = 0;
    let end = 0;
    for (const json of this.#heldDocuments()) {
      end += json.length;
      if (taken > end * share) continue;
      const text = json.subarray(0, SAMPLE_TEXT_MAX);
      sample.push(text);
      taken += text.length;
    }
    return sample;
  }

  #write(json: Uint8Array): void {
    if (this.#table === null || this.#encoder === null) {
      this.#text.append(json);
      return;
    }
    this.#codes.length = 0;
    this.#encoder.encode(json, this.#codes);
    this.#text.append(this.#codes.bytes, this.#codes.length);
    this.#skips.append(skipsOf(json, this.#codes.bytes, this.#table));
  }
}

export class StoredDocuments {
  readonly #codes: GroupedRuns;
  readonly #tokens: Uint8Array;
  /** False if codes are the text itself, and in files of releases without skips. */
  readonly #hasSkips: boolean;
  /** null = no document has a skip that is known. */
  readonly #skips: GroupedRuns | null = null;
  #decoder: TokenDecoder | null = null;
  #members: StoredMembers | null = null;
  #table: TokenTable | null = null;

  constructor(sections: Omit<StoredDocumentSections, 'storedBytes'>) {
    const { storedText, storedOffsets, storedTokens, skips } = sections;
    this.#codes = new GroupedRuns(storedText, storedOffsets, GROUP_SHIFT);
    this.#tokens = storedTokens;
    this.#hasSkips = skips !== null;
    if (skips !== null && skips.storedSkips.length > 0)
      this.#skips = new GroupedRuns(skips.storedSkips, skips.storedSkipOffsets, SKIP_GROUP_SHIFT);
  }

  /** null when documents are stored uncompressed. */
  get table(): TokenTable | null {
    if (this.#table === null && this.#tokens.length > 0)
      this.#table = TokenTable.parse(this.#tokens);
    return this.#table;
  }

  /** Valid until the next call. */
  read(rank: number): Uint8Array {
    const codes = this.codes(rank);
    this.#decoder ??= this.#newDecoder();
    return this.#decoder === null ? codes : this.#decoder.decode(codes, 0, codes.length);
  }

  /**
   * Appends the document with only these members, in its order; decodes no more than needed.
   * @param count of the document's members, how many are named
   */
  readMembers(rank: number, names: MemberNames, count: number, out: ByteBuffer): void {
    this.#members ??= new StoredMembers(this.#newDecoder());
    this.#members.write(this.codes(rank), this.skips(rank), { names, count }, out);
  }

  /** The document as it is stored, as a view. */
  codes(rank: number): Uint8Array {
    return this.#codes.at(rank);
  }

  /** Skips of the document, as a view; null if they are unknown. */
  skips(rank: number): Uint8Array | null {
    return this.#hasSkips ? (this.#skips?.at(rank) ?? NO_SKIPS) : null;
  }

  hasValidSkips(rank: number): boolean {
    const skips = this.skips(rank);
    const { table } = this;
    if (skips === null || table === null) return true;
    return compareBytes(skipsOf(this.read(rank), this.codes(rank), table), skips) === 0;
  }

  #newDecoder(): TokenDecoder | null {
    const { table } = this;
    return table === null ? null : new TokenDecoder(table);
  }
}
