/**
 * Order-free fingerprints of documents. The fingerprint of a set is the sum of the hashes of its
 * documents modulo 2¹²⁸, so it does not depend on the order, and sets can be added and subtracted.
 * It finds accidents; it is no proof against an author who chooses documents to deceive.
 */
import { createHash } from 'node:crypto';
import { type Json, parseJson } from '../core/json.ts';
import { replaceLongIntegers } from '../core/long-integers.ts';
import { VECTORS_FIELD } from './embedders/embedder-settings.ts';

export const partDigits = (part: number): string => part.toString(16).padStart(2, '0');

/** A set is divided by the first byte of the SHA-256 of each id. */
export const FINGERPRINT_PARTS = 256;
const FINGERPRINT_DIGITS = 32;

const MODULUS = 1n << 128n;

/** Precedes the digits of a long integer, which is a string while the document is parsed. */
const MARK = '\u0000integer ';

/** The document with integers of at least 16 digits as `bigint`; undefined if it is not JSON. */
export function parseDocument(text: string): unknown {
  const marked = replaceLongIntegers(text, (digits) => JSON.stringify(`${MARK}${digits}`));
  if (marked === text) return parseJson(text);
  try {
    return JSON.parse(marked, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith(MARK)
        ? BigInt(value.slice(MARK.length))
        : value,
    );
  } catch {
    return undefined;
  }
}

/**
 * The document as JSON with members in the order of their names, long integers with all digits and
 * other numbers as JavaScript writes them. Without `_vectors`, which are stored apart and mostly made
 * by providers.
 * @param document of `parseDocument`
 */
export function canonicalDocument(document: Json): string {
  const { [VECTORS_FIELD]: _, ...rest } = document;
  return canonicalJson(rest);
}

function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** Hexadecimal digits of the SHA-256 of an id's text. */
export const idDigest = (id: string | Uint8Array): string =>
  createHash('sha256').update(id).digest('hex');

/** The first 128 bits of the SHA-256 of the canonical form. */
export const documentFingerprint = (document: Json): string =>
  createHash('sha256')
    .update(canonicalDocument(document))
    .digest('hex')
    .slice(0, FINGERPRINT_DIGITS);

/** Number and fingerprint of a set of documents, by part. */
export interface FingerprintParts {
  readonly counts: readonly number[];
  /** Hexadecimal. */
  readonly sums: readonly string[];
}

export class FingerprintSum {
  readonly #counts = new Float64Array(FINGERPRINT_PARTS);
  readonly #sums: bigint[] = Array.from({ length: FINGERPRINT_PARTS }, () => 0n);

  /** @param digest `idDigest` of its id. @param fingerprint of the document */
  addDocument(digest: string, fingerprint: string): void {
    this.#add(Number.parseInt(digest.slice(0, 2), 16), 1, BigInt(`0x${fingerprint}`));
  }

  /** @param sign −1 subtracts */
  addParts({ counts, sums }: FingerprintParts, sign: 1 | -1): void {
    for (const [part, count] of counts.entries())
      this.#add(part, sign * count, BigInt(sign) * BigInt(`0x${sums[part]}`));
  }

  #add(part: number, count: number, sum: bigint): void {
    this.#counts[part] = (this.#counts[part] ?? 0) + count;
    this.#sums[part] = BigInt.asUintN(128, (this.#sums[part] ?? 0n) + sum);
  }

  get parts(): FingerprintParts {
    return { counts: [...this.#counts], sums: this.#sums.map(toDigits) };
  }

  get total(): { readonly numberOfDocuments: number; readonly fingerprint: string } {
    const sum = this.#sums.reduce((all, part) => (all + part) % MODULUS, 0n);
    const numberOfDocuments = this.#counts.reduce((all, count) => all + count, 0);
    return { numberOfDocuments, fingerprint: toDigits(sum) };
  }
}

const toDigits = (sum: bigint): string => sum.toString(16).padStart(FINGERPRINT_DIGITS, '0');
