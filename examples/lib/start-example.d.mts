/** Types of start-example.mjs, for the tests. */
export interface Example {
  readonly folder: string;
  readonly index: string;
  readonly settings: object;
  readonly documents: readonly object[];
  /** More launch options of the server. */
  readonly flags?: readonly string[];
  /** Called when the index is filled, before the key of the page is made. */
  readonly prepare?: (server: {
    readonly url: string;
    readonly masterKey: string;
  }) => Promise<void>;
  /** What the key of the page allows, if more than searches of the index. */
  readonly key?: { readonly actions: readonly string[]; readonly indexes: readonly string[] };
  /** Of the page; 0 = any free one. */
  readonly port: number;
}
export interface StartedExample {
  readonly url: string;
  readonly serverUrl: string;
  stop(): Promise<void>;
}
export function startExample(example: Example): Promise<StartedExample>;
