/** Types of start-example.mjs, for the tests. */
export interface Example {
  readonly folder: string;
  readonly index: string;
  readonly settings: object;
  readonly documents: readonly object[];
  /** Of the page; 0 = any free one. */
  readonly port: number;
}
export interface StartedExample {
  readonly url: string;
  readonly serverUrl: string;
  stop(): Promise<void>;
}
export function startExample(example: Example): Promise<StartedExample>;
