/**
 * State of each id that a batch touches, in columns: millions of tiny documents fit, which objects
 * would not. States are numbered in the order in which the ids occur.
 */

const EXISTS = 1;
const ON_STORED = 2;
const FOLLOWS_STORED = 4;
const NONE = -1;
const INITIAL = 256;

export class DocumentStates {
  readonly ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  #segments = new Int32Array(INITIAL);
  #docIds = new Uint32Array(INITIAL);
  #flags = new Uint8Array(INITIAL);
  #lastOperations = new Int32Array(INITIAL);
  #firstVersions = new Int32Array(INITIAL);
  #lastVersions = new Int32Array(INITIAL);
  /** Where the content begins; versions before it are replaced. */
  #contentVersions = new Int32Array(INITIAL);
  readonly #keepsReplaced: boolean;
  /**
   * Versions of all documents: operation, document in its payload, next version of the same
   * document or −1.
   */
  #versions = new Int32Array(INITIAL * 3);
  #versionCount = 0;

  /** @param keepsReplaced whether replaced versions are needed, for their `_vectors` entries */
  constructor(keepsReplaced: boolean) {
    this.#keepsReplaced = keepsReplaced;
  }

  get count(): number {
    return this.ids.length;
  }
  find(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /**
   * @param segment number of the segment with the live copy at the start of the batch, −1 = there
   * is none
   */
  add(id: string, segment: number, docId: number, exists: boolean): number {
    const state = this.ids.length;
    if (state === this.#flags.length) this.#grow();
    this.ids.push(id);
    this.#numbers.set(id, state);
    this.#segments[state] = segment;
    this.#docIds[state] = docId;
    this.#flags[state] = exists ? EXISTS | ON_STORED | FOLLOWS_STORED : 0;
    this.#lastOperations[state] = NONE;
    this.#firstVersions[state] = NONE;
    return state;
  }

  segment(state: number): number {
    return this.#segments[state] as number;
  }
  docId(state: number): number {
    return this.#docIds[state] as number;
  }
  exists(state: number): boolean {
    return ((this.#flags[state] as number) & EXISTS) !== 0;
  }
  /** The versions are merged into the stored copy. */
  isOnStored(state: number): boolean {
    return ((this.#flags[state] as number) & ON_STORED) !== 0;
  }
  /** The document has existed without interruption since the start of the batch. */
  followsStored(state: number): boolean {
    return ((this.#flags[state] as number) & FOLLOWS_STORED) !== 0;
  }
  isWritten(state: number): boolean {
    return this.#firstVersions[state] !== NONE;
  }

  /** False when the operation has touched the document before. */
  touch(state: number, operation: number): boolean {
    const isFirst = this.#lastOperations[state] !== operation;
    this.#lastOperations[state] = operation;
    return isFirst;
  }

  replace(state: number, operation: number, document: number): void {
    if (!this.#keepsReplaced) this.#firstVersions[state] = NONE;
    this.update(state, operation, document);
    this.#contentVersions[state] = this.#lastVersions[state] as number;
    this.#flags[state] = (this.#flags[state] as number) & ~ON_STORED;
  }

  /** Merges the version into the existing document. */
  update(state: number, operation: number, document: number): void {
    const version = this.#addVersion(operation, document);
    this.#flags[state] = (this.#flags[state] as number) | EXISTS;
    if (this.#firstVersions[state] === NONE) {
      this.#firstVersions[state] = version;
      this.#contentVersions[state] = version;
    } else this.#versions[(this.#lastVersions[state] as number) * 3 + 2] = version;
    this.#lastVersions[state] = version;
  }

  remove(state: number): void {
    this.#flags[state] = 0;
    this.#firstVersions[state] = NONE;
  }

  /**
   * Visits the document's versions in their order.
   * @returns how many of them come before the content
   */
  forEachVersion(state: number, visit: (operation: number, document: number) => void): number {
    let count = 0;
    let replacedCount = 0;
    for (let version = this.#firstVersions[state] as number; version !== NONE; count++) {
      if (version === this.#contentVersions[state]) replacedCount = count;
      const word = version * 3;
      visit(this.#versions[word] as number, this.#versions[word + 1] as number);
      version = this.#versions[word + 2] as number;
    }
    return replacedCount;
  }

  /** Upper bound of the versions that `forEachVersion` visits over all documents. */
  get versionCount(): number {
    return this.#versionCount;
  }

  #addVersion(operation: number, document: number): number {
    const word = this.#versionCount * 3;
    if (word === this.#versions.length)
      this.#versions = grown(this.#versions, new Int32Array(word * 2));
    this.#versions[word] = operation;
    this.#versions[word + 1] = document;
    this.#versions[word + 2] = NONE;
    return this.#versionCount++;
  }

  #grow(): void {
    const capacity = this.#flags.length * 2;
    this.#segments = grown(this.#segments, new Int32Array(capacity));
    this.#docIds = grown(this.#docIds, new Uint32Array(capacity));
    this.#flags = grown(this.#flags, new Uint8Array(capacity));
    this.#lastOperations = grown(this.#lastOperations, new Int32Array(capacity));
    this.#firstVersions = grown(this.#firstVersions, new Int32Array(capacity));
    this.#lastVersions = grown(this.#lastVersions, new Int32Array(capacity));
    this.#contentVersions = grown(this.#contentVersions, new Int32Array(capacity));
  }
}

function grown<T extends Int32Array | Uint32Array | Uint8Array>(column: T, larger: T): T {
  larger.set(column);
  return larger;
}
