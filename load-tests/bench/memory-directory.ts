/** Directory in memory, for measurements and tests. */
import { concatBytes } from '../../src/core/concat-bytes.ts';
import type { Directory, MappedFile, NewFile } from '../../src/engine/segment/directory.ts';

export class MemoryDirectory implements Directory {
  readonly #files = new Map<string, Uint8Array>();

  create(name: string, parts: readonly Uint8Array[]): void {
    if (this.#files.has(name)) throw new Error(`file ${name} exists`);
    this.#files.set(name, concatBytes(parts));
  }

  createMany(files: readonly NewFile[]): void {
    for (const { name, parts } of files) this.create(name, parts);
  }

  open(name: string): MappedFile {
    const bytes = this.#files.get(name);
    if (bytes === undefined) throw new Error(`no file ${name}`);
    return { name, bytes, close: () => undefined };
  }

  list(): string[] {
    return [...this.#files.keys()].sort();
  }

  remove(name: string): void {
    this.#files.delete(name);
  }
}
