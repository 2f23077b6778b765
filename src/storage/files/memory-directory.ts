/** Directory in memory, for tests and for building indexes without a disk. */
import type { Directory, MappedFile, NewFile } from '../../engine/segment/directory.ts';

export class MemoryDirectory implements Directory {
  readonly #files = new Map<string, Uint8Array>();

  create(name: string, parts: readonly Uint8Array[]): void {
    if (this.#files.has(name)) throw new Error(`file ${name} exists`);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#files.set(name, bytes);
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
