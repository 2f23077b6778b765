/**
 * Stored JSON documents of a segment, by rank: each compressed by itself with the segment's token
 * table (bytes/token-table.ts).
 *
 *   storedText      for each document: varint length of its codes, codes
 *   storedOffsets   u32 × (⌈n / 4⌉ + 1): where documents 0, 4, 8, … start in storedText, and its end
 *   storedTokens    serialized token table; empty = codes are the text itself
 */
import { assert } from '../../core/assert.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { TokenDecoder } from '../bytes/token-decoder.ts';
import { TokenEncoder } from '../bytes/token-encoder.ts';
import { TokenTable } from '../bytes/token-table.ts';
import { trainTokens } from '../bytes/token-trainer.ts';
import { VarintCursor } from '../bytes/varint.ts';
import { HeldDocuments } from './held-documents.ts';

const GROUP_SHIFT = 2;
const GROUP_SIZE = 1 << GROUP_SHIFT;
/** Documents held back, uncompressed, so that the sample is spread over them. */
const HELD_BYTES_MAX = 32 << 20;
export const SAMPLE_BYTES = 1 << 20;
/** Less than this is stored as it is: such a segment is soon merged, and learning takes time. */
export const COMPRESSED_BYTES_MIN = 128 << 10;
/** Longer documents add only their beginning to a sample. */
export const SAMPLE_TEXT_MAX = 16 << 10;

export interface StoredDocumentSections {
  /** Sum of the documents' lengths. */
  readonly storedBytes: number;
  readonly storedText: Uint8Array;
  readonly storedOffsets: Uint32Array;
  readonly storedTokens: Uint8Array;
}

export class StoredDocumentsWriter {
  /** Documents until the table is learnt. */
  readonly #held = new HeldDocuments();
  #encoder: TokenEncoder | null = null;
  #tokens: Uint8Array = new Uint8Array(0);
  #started = false;
  readonly #text = new ByteWriter(1 << 14);
  readonly #codes = new ByteWriter(1 << 12);
  #offsets: number[] = [];
  #count = 0;
  #storedBytes = 0;

  get memoryBytes(): number {
    return this.#held.memoryBytes + this.#text.bytes.length + this.#offsets.length * 8;
  }

  /** Takes a table that was learnt before instead of learning one; before the first document. */
  useTable(table: TokenTable): void {
    assert(this.#storedBytes === 0, 'the token table comes before the first document');
    this.#encoder = new TokenEncoder(table);
    this.#tokens = table.serialize();
    this.#started = true;
  }

  add(json: Uint8Array): void {
    this.#storedBytes += json.length;
    if (this.#started) {
      this.#write(json);
      return;
    }
    this.#held.add(json);
    if (this.#held.bytes >= HELD_BYTES_MAX) this.#start();
  }

  /** Adds a document of `jsonLength` bytes whose codes by the table in use are known. */
  addEncoded(codes: Uint8Array, jsonLength: number): void {
    this.#storedBytes += jsonLength;
    this.#append(codes, codes.length);
  }

  finish(): StoredDocumentSections {
    if (!this.#started) this.#start();
    this.#offsets.push(this.#text.length);
    assert(this.#text.length < 2 ** 32, 'stored documents of a segment stay below 4 GB');
    return {
      storedBytes: this.#storedBytes,
      storedText: this.#text.view(),
      storedOffsets: Uint32Array.from(this.#offsets),
      storedTokens: this.#tokens,
    };
  }

  /** Learns the table and writes what was held back. */
  #start(): void {
    this.#started = true;
    const { bytes } = this.#held;
    if (bytes >= COMPRESSED_BYTES_MIN) {
      const table = trainTokens(this.#sample(), bytes);
      this.#encoder = new TokenEncoder(table);
      this.#tokens = table.serialize();
    }
    this.#held.forEach((json) => {
      this.#write(json);
    });
    this.#held.clear();
  }

  #sample(): Uint8Array[] {
    const sample: Uint8Array[] = [];
    const share = Math.min(1, SAMPLE_BYTES / this.#held.bytes);
    let taken = 0;
    let end = 0;
    this.#held.forEach((json) => {
      end += json.length;
      if (taken > end * share) return;
      const text = json.subarray(0, SAMPLE_TEXT_MAX);
      sample.push(text);
      taken += text.length;
    });
    return sample;
  }

  #write(json: Uint8Array): void {
    if (this.#encoder === null) {
      this.#append(json, json.length);
      return;
    }
    this.#codes.length = 0;
    this.#encoder.encode(json, this.#codes);
    this.#append(this.#codes.bytes, this.#codes.length);
  }

  #append(codes: Uint8Array, length: number): void {
    if ((this.#count++ & (GROUP_SIZE - 1)) === 0) this.#offsets.push(this.#text.length);
    this.#text.varint(length);
    this.#text.append(codes, 0, length);
  }
}

export class StoredDocuments {
  readonly #sections: Omit<StoredDocumentSections, 'storedBytes'>;
  readonly #cursor: VarintCursor;
  #decoder: TokenDecoder | null = null;
  #table: TokenTable | null = null;

  constructor(sections: Omit<StoredDocumentSections, 'storedBytes'>) {
    this.#sections = sections;
    this.#cursor = new VarintCursor(sections.storedText);
  }

  /** null when documents are stored as they are. */
  get table(): TokenTable | null {
    if (this.#table === null && this.#sections.storedTokens.length > 0)
      this.#table = TokenTable.parse(this.#sections.storedTokens);
    return this.#table;
  }

  /** Valid until the next call. */
  read(rank: number): Uint8Array {
    const codes = this.codes(rank);
    if (this.#decoder === null) {
      const table = this.table;
      if (table === null) return codes;
      this.#decoder = new TokenDecoder(table);
    }
    return this.#decoder.decode(codes, 0, codes.length);
  }

  /** The document as it is stored, in place. */
  codes(rank: number): Uint8Array {
    const { storedText, storedOffsets } = this.#sections;
    const cursor = this.#cursor;
    cursor.position = storedOffsets[rank >>> GROUP_SHIFT]!;
    let length = cursor.next();
    for (let skip = rank & (GROUP_SIZE - 1); skip > 0; skip--) {
      cursor.position += length;
      length = cursor.next();
    }
    return storedText.subarray(cursor.position, cursor.position + length);
  }
}
