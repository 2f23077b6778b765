/** Types of documentation.mjs, for the tests. */
export function documentPaths(root: string): string[];
export interface DocsSection {
  readonly page: string;
  readonly title: string;
  /** Anchor on the page. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}
export function renderDocumentation(root: string): {
  readonly files: Map<string, string>;
  readonly sections: readonly DocsSection[];
};
export function writeDocumentation(root: string): void;
