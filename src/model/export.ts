/** Parameters of an export. */

export interface ExportRequest {
  readonly url: string;
  readonly apiKey: string | null;
  /** Maximum bytes per request, before compression. */
  readonly payloadBytesMax: number;
  /** By uid or pattern; the most specific match applies to an index. */
  readonly indexes: Readonly<Record<string, ExportedIndexes>>;
}

export interface ExportedIndexes {
  /** JSON form of a syntactically checked filter; null = all documents. */
  readonly filter: unknown;
  /** True: replaces the settings of an existing index on the target. */
  readonly overrideSettings: boolean;
}
