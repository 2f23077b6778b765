/** What an export sends where. */

export interface ExportRequest {
  /** Of the other instance. */
  readonly url: string;
  readonly apiKey: string | null;
  /** Most bytes of a request, before compression. */
  readonly payloadBytesMax: number;
  /** By uid or pattern; the one that says most about an index counts for it. */
  readonly indexes: Readonly<Record<string, ExportedIndexes>>;
}

export interface ExportedIndexes {
  /** JSON form of a filter whose syntax has been checked; null = all documents. */
  readonly filter: unknown;
  /** Settings of an index that the other instance has already are replaced. */
  readonly overrideSettings: boolean;
}
