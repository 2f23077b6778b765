/** Types of documentation.mjs, for the tests. */
export function documentPaths(root: string): string[];
export function renderDocumentation(root: string): Map<string, string>;
export function writeDocumentation(root: string): void;
