/** The unpacked files of a dump, read line by line. */
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { UnpackedFile } from './archive.ts';

const LINE_END = 0x0a;

export class UnpackedDump {
  readonly names: readonly string[];
  readonly #paths: ReadonlyMap<string, string>;

  /** @param files what was unpacked */
  constructor(files: readonly UnpackedFile[]) {
    this.names = files.map(({ name }) => name);
    this.#paths = new Map(files.map(({ name, path }) => [name, path]));
  }

  has(name: string): boolean {
    return this.#paths.has(name);
  }

  text(name: string): Promise<string> {
    return fs.promises.readFile(this.#pathOf(name), 'utf8');
  }

  async *lines(name: string): AsyncIterable<string> {
    const input = fs.createReadStream(this.#pathOf(name));
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line.trim() !== '') yield line;
  }

  /** Pieces of whole lines, each of about so many bytes. */
  async *pieces(name: string, bytes: number): AsyncIterable<Uint8Array> {
    let rest: Uint8Array[] = [];
    const input = fs.createReadStream(this.#pathOf(name), { highWaterMark: bytes });
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(LINE_END) + 1;
      if (end > 0) {
        yield Buffer.concat([...rest, chunk.subarray(0, end)]);
        rest = [];
      }
      if (end < chunk.length) rest.push(Buffer.from(chunk.subarray(end)));
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  }

  #pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`the dump holds no ${name}`);
    return path;
  }
}
