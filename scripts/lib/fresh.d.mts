/** Types of fresh.mjs, for tests. */
export const ROOT: string;
export const SOURCE_FOLDERS: readonly string[];
export function modulePath(path: string): string;
export function ensureCompiled(): Promise<void>;
export function isInstalled(root?: string): boolean;
export function fingerprint(root?: string): string;
export function isBuilt(root?: string): boolean;
export function run(command: string, args: readonly string[], options?: { quiet?: boolean }): void;
export function ensureInstalled(): void;
export function ensureBuilt(): Promise<void>;
