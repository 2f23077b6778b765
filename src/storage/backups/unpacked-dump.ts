/** The unpacked files of a dump, read line by line. */
import fs from 'node:fs';
import { humanSize } from '../../core/human-size.ts';
import { ArchiveRefused, type UnpackedFile } from './archive.ts';

const LINE_END = 0x0a;
/** Bytes of a file that is read as a whole: settings, metadata. */
const TEXT_BYTES_MAX = 64 << 20;
/** Bytes of a line: a document, a task or a key. */
const LINE_BYTES_MAX = 256 << 20;
/** Bytes of one read when lines are read one by one. */
const PIECE_BYTES = 1 << 16;

export class UnpackedDump {
  readonly names: readonly string[];
  readonly #paths: ReadonlyMap<string, string>;

  /** @param files unpacked files */
  constructor(files: readonly UnpackedFile[]) {
    this.names = files.map(({ name }) => name);
    this.#paths = new Map(files.map(({ name, path }) => [name, path]));
  }

  has(name: string): boolean {
    return this.#paths.has(name);
  }

  /** @throws ArchiveRefused when the file exceeds the limit for files read as a whole */
  async text(name: string): Promise<string> {
    const path = this.#pathOf(name);
    const { size } = await fs.promises.stat(path);
    if (size > TEXT_BYTES_MAX) throw tooLong(name, 'is', TEXT_BYTES_MAX);
    return fs.promises.readFile(path, 'utf8');
  }

  /** The non-blank lines, without line ends. @throws ArchiveRefused when a line is too long */
  async *lines(name: string): AsyncIterable<string> {
    for await (const piece of this.pieces(name, PIECE_BYTES))
      for (const line of Buffer.from(piece).toString().split(/\r?\n/))
        if (line.trim() !== '') yield line;
  }

  /**
   * Chunks of complete lines, each of about `bytes`.
   * @throws ArchiveRefused when a line is too long
   */
  async *pieces(name: string, bytes: number): AsyncIterable<Uint8Array> {
    let rest: Uint8Array[] = [];
    let restBytes = 0;
    const input = fs.createReadStream(this.#pathOf(name), { highWaterMark: bytes });
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(LINE_END) + 1;
      if (end > 0) {
        yield Buffer.concat([...rest, chunk.subarray(0, end)]);
        rest = [];
        restBytes = 0;
      }
      if (end < chunk.length) rest.push(Buffer.from(chunk.subarray(end)));
      restBytes += chunk.length - end;
      if (restBytes > LINE_BYTES_MAX) throw tooLong(name, 'holds a line that is', LINE_BYTES_MAX);
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  }

  #pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new ArchiveRefused(`the dump holds no ${name}`);
    return path;
  }
}

const tooLong = (name: string, is: string, bytesMax: number): ArchiveRefused =>
  new ArchiveRefused(`${name} of the dump ${is} longer than ${humanSize(bytesMax)}`);
