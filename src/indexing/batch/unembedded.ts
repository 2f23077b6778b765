/**
 * Failures of an embedder without a document to blame: the documents that needed it, and the
 * operations that wrote them. The rest of a batch does not depend on them.
 */
import { ApiError, fromWire, type WireError } from '../../core/errors.ts';
import type { DocumentWrites } from './document-writes.ts';

/** At least one, by DocId, with the embedder's error. */
export class UnembeddedDocuments extends ApiError {
  readonly errors: ReadonlyMap<number, WireError>;

  private constructor(errors: ReadonlyMap<number, WireError>, message: string) {
    super('vector_embedding_error', message);
    this.errors = errors;
  }

  /** Documents of one embedder. If there are none, the failure concerns no particular document. */
  static of(docIds: Iterable<number>, message: string): ApiError {
    const error: WireError = { code: 'vector_embedding_error', message };
    const errors = new Map(Array.from(docIds, (docId) => [docId, error]));
    return errors.size > 0 ? new UnembeddedDocuments(errors, message) : fromWire(error);
  }

  /** Documents of several embedders; a document with several errors keeps the first. */
  static join(parts: readonly UnembeddedDocuments[]): UnembeddedDocuments {
    const errors = new Map([...parts].reverse().flatMap((part) => [...part.errors]));
    return new UnembeddedDocuments(errors, parts[0]?.message ?? '');
  }
}

/** Thrown instead of a batch's result; without these operations the batch may succeed. */
export class UnembeddedOperations extends ApiError {
  /** By number of the operation. */
  readonly errors: ReadonlyMap<number, WireError>;

  constructor(first: WireError, errors: ReadonlyMap<number, WireError>) {
    super(first.code, first.message);
    this.errors = errors;
  }
}

/** Collects them over the parts of a batch. */
export class UnembeddedParts {
  readonly #errors = new Map<number, WireError>();

  /**
   * @param writes of the part @param embedding resolves to its documents with their vectors
   * @returns null when the part cannot be used: documents of it, or of an earlier part, have no
   * vectors
   */
  async complete<Embedded>(
    writes: DocumentWrites,
    embedding: Promise<Embedded>,
  ): Promise<Embedded | null> {
    try {
      const embedded = await embedding;
      return this.#errors.size === 0 ? embedded : null;
    } catch (error) {
      if (!(error instanceof UnembeddedDocuments)) throw error;
      this.#add(writes, error.errors);
      return null;
    }
  }

  throwIfAny(): void {
    for (const first of this.#errors.values()) throw new UnembeddedOperations(first, this.#errors);
  }

  #add({ docIds, versionEnds, versions }: DocumentWrites, errors: UnembeddedDocuments['errors']) {
    for (const [i, docId] of docIds.entries()) {
      const error = errors.get(docId);
      if (error === undefined) continue;
      for (let version = versionEnds[i - 1] ?? 0; version < (versionEnds[i] as number); version++)
        this.#errors.set(versions[version * 3] as number, error);
    }
  }
}
