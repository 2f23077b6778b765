/**
 * Archives of backups: tar, compressed by gzip. Reading takes plain files only and refuses whatever
 * could write elsewhere than below the target; writing ends with a synced file under its name, or
 * with nothing.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { humanSize } from '../../core/human-size.ts';
import { syncFolder } from '../files/sync-folder.ts';

/** The archive cannot be taken; the message is one line for the user. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

export interface UnpackedFile {
  /** Path in the archive, without `./`. */
  readonly name: string;
  /** Where it lies: below the target by its name, as far as a file system takes that. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal SHA-256. */
  readonly sha256: string;
}

/** What an archive may unpack to, which its own size says little about. */
export interface UnpackLimits {
  /** Bytes, members that are not written included; null = `UNPACKED_RATIO_MAX` times the archive. */
  readonly bytesMax: number | null;
  /** Files and folders, those that are not written included. */
  readonly entriesMax: number;
}

/** Those of launch options that are not set. */
export const DEFAULT_UNPACK_LIMITS: UnpackLimits = { bytesMax: null, entriesMax: 1_000_000 };

/** Documents in JSON are seldom compressed to less than a fiftieth; zeros are to a thousandth. */
const UNPACKED_RATIO_MAX = 200;
/** Small archives may be compressed further. */
const UNPACKED_BYTES_MIN = 1024 ** 3;
/** Of the headers in front of one member, long names included, which are read into memory. */
const HEADER_BYTES_MAX = 4 << 20;

export interface UnpackOptions {
  /** Of all files, those to write; the others are read and forgotten. */
  readonly wants: (name: string) => boolean;
  readonly limits: UnpackLimits;
  /** Whether files survive a power cut when this resolves. */
  readonly isSynced: boolean;
  readonly onBytes: (bytes: number) => void;
}

const DEPTH_MAX = 16;
/** What archivers of macOS and old ones of Unix put beside the files. */
const BESIDE = /(^|\/)(\._[^/]*|PaxHeaders?(\.[^/]*)?(\/.*)?)$/;

/**
 * Writes the wanted files below `target`, which exists.
 * @throws ArchiveRefused for what is no such archive, cut off, or tries to leave the folder
 */
export async function unpackArchive(
  file: string,
  target: string,
  options: UnpackOptions,
): Promise<UnpackedFile[]> {
  const extract = tar.extract();
  const count = new UnpackCount(file, options.limits);
  const piping = pipeline(
    fs.createReadStream(file),
    createGunzip(),
    (chunks: AsyncIterable<Uint8Array>) => count.passing(chunks),
    extract,
  );
  let broken: unknown = null;
  piping.catch((error: unknown) => {
    broken = error;
  });
  const found = new Map<string, UnpackedFile>();
  try {
    for await (const entry of extract) {
      count.entry();
      const { header } = entry;
      const name = checkedName(file, header);
      const content = count.read(entry);
      if (header.type === 'directory' || BESIDE.test(name) || !options.wants(name)) {
        for await (const _ of content);
        continue;
      }
      if (found.has(name)) throw refused(file, `holds ${shown(name)} twice`);
      found.set(name, await writeEntry(content, name, target, options));
    }
    await piping;
  } catch (error) {
    // Whoever reads a member hears only that it ended when the bytes before it are damaged.
    await nextTurn();
    const cause = error instanceof ArchiveRefused || wasStopped(broken) ? error : (broken ?? error);
    extract.destroy();
    await piping.catch(() => undefined);
    throw toRefusal(file, cause);
  }
  return [...found.values()];
}

/** Counts what comes out of an archive, and refuses it when that is too much. */
class UnpackCount {
  readonly #file: string;
  readonly #bytesMax: number;
  readonly #entriesMax: number;
  #bytes = 0;
  #entries = 0;
  /** Bytes that have come since a member was last read: headers. */
  #headerBytes = 0;

  constructor(file: string, { bytesMax, entriesMax }: UnpackLimits) {
    this.#file = file;
    const archiveBytes = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    this.#bytesMax = bytesMax ?? Math.max(UNPACKED_BYTES_MIN, archiveBytes * UNPACKED_RATIO_MAX);
    this.#entriesMax = entriesMax;
  }

  /** The decompressed archive. */
  async *passing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      this.#headerBytes += chunk.length;
      if (this.#bytes > this.#bytesMax)
        throw refused(
          this.#file,
          `unpacks to more than ${humanSize(this.#bytesMax)}, which \`--import-size-limit\` raises`,
        );
      if (this.#headerBytes > HEADER_BYTES_MAX)
        throw refused(this.#file, `holds a header of more than ${humanSize(HEADER_BYTES_MAX)}`);
      yield chunk;
    }
  }

  entry(): void {
    this.#headerBytes = 0;
    this.#entries += 1;
    if (this.#entries > this.#entriesMax)
      throw refused(
        this.#file,
        `holds more than ${this.#entriesMax} files and folders, which \`--import-entry-limit\` raises`,
      );
  }

  /** The content of a member. */
  async *read(entry: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of entry) {
      this.#headerBytes = 0;
      yield chunk;
    }
  }
}

/** Reading ended because nobody wants more, not by a fault of the archive. */
const wasStopped = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** The path of a member, which is one below the target. */
function checkedName(file: string, { name, type }: tar.Headers): string {
  if (type !== 'file' && type !== 'directory' && type !== 'contiguous-file')
    throw refused(file, `holds ${shown(name)}, which is neither a file nor a folder but: ${type}`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const leaves = name.startsWith('/') || /^[a-z]:/i.test(name) || parts.includes('..');
  if (leaves || name.includes('\\') || name.includes('\0'))
    throw refused(file, `holds the path ${shown(name)}, which leads out of the folder`);
  if (parts.length > DEPTH_MAX) throw refused(file, `nests folders deeper than ${DEPTH_MAX}`);
  return parts.join('/');
}

async function writeEntry(
  entry: AsyncIterable<Uint8Array>,
  name: string,
  target: string,
  { isSynced, onBytes }: UnpackOptions,
): Promise<UnpackedFile> {
  const out = path.join(target, ...name.split('/').map(fileNameOf));
  await fs.promises.mkdir(path.dirname(out), { recursive: true });
  const handle = await fs.promises.open(out, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of entry) {
      hash.update(chunk);
      await handle.writeFile(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
    }
    if (isSynced) await handle.sync();
  } finally {
    await handle.close();
  }
  return { name, path: out, bytes, sha256: hash.digest('hex') };
}

/** Longer parts of paths, which an archive may have, are told apart by their digest. */
const FILE_NAME_BYTES_MAX = 255;

const fileNameOf = (part: string): string =>
  Buffer.byteLength(part) <= FILE_NAME_BYTES_MAX
    ? part
    : createHash('sha256').update(part).digest('hex');

const refused = (file: string, why: string): ArchiveRefused =>
  new ArchiveRefused(`${file} ${why}: it is not imported`);

const SHOWN_MAX = 200;
const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_MAX));

/** What the decompressor and the reader of the archive say of damaged bytes. */
function toRefusal(file: string, error: unknown): unknown {
  if (error instanceof ArchiveRefused || !(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const isOfBytes =
    code.startsWith('Z_') || /tar (header|data)|unexpected end/i.test(error.message);
  if (!isOfBytes) return error;
  return refused(file, `is damaged, or no tar archive compressed by gzip (${error.message})`);
}

export interface ArchiveOptions {
  /** 0 (as it is) to 9 (small). */
  readonly compression: number;
  /** Permissions of the finished file. */
  readonly mode: number;
}

const TEMPORARY_SUFFIX = '.tmp';
const PART_SUFFIX = '.part';
const MEMBER_MODE = 0o600;

/** An archive on its way to disk. Ends with exactly one call of `finish` or `abort`. */
export class ArchiveWriter {
  readonly #file: string;
  readonly #options: ArchiveOptions;
  readonly #pack = tar.pack();
  readonly #written: Promise<void>;
  readonly #modified = new Date();

  /** @param file its folder exists */
  constructor(file: string, options: ArchiveOptions) {
    this.#file = file;
    this.#options = options;
    this.#written = pipeline(
      this.#pack,
      createGzip({ level: options.compression }),
      fs.createWriteStream(this.#temporary, { mode: MEMBER_MODE }),
    );
    this.#written.catch(() => undefined);
  }

  /** Resolves with the hexadecimal SHA-256 of the bytes. */
  async addBytes(name: string, bytes: Uint8Array): Promise<string> {
    await this.#add(name, bytes.length, [bytes]);
    return createHash('sha256').update(bytes).digest('hex');
  }

  /** Of whatever length: they go through a file beside the archive. */
  async addChunks(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const handle = await fs.promises.open(this.#part, 'w', MEMBER_MODE);
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    } finally {
      await handle.close();
    }
    await this.addFile(name, this.#part);
    await fs.promises.rm(this.#part);
  }

  /** Resolves with the hexadecimal SHA-256 of the file, which must not change meanwhile. */
  async addFile(name: string, source: string): Promise<string> {
    const { size } = await fs.promises.stat(source);
    const hash = createHash('sha256');
    const hashed = async function* (): AsyncIterable<Uint8Array> {
      for await (const chunk of fs.createReadStream(source, { highWaterMark: READ_BYTES })) {
        hash.update(chunk as Uint8Array);
        yield chunk as Uint8Array;
      }
    };
    await this.#add(name, size, hashed());
    return hash.digest('hex');
  }

  /** Resolves when the archive survives a power cut under its name, in place of an older one. */
  async finish(): Promise<void> {
    try {
      this.#pack.finalize();
      await this.#written;
      const handle = await fs.promises.open(this.#temporary, 'r+');
      await handle.chmod(this.#options.mode);
      await handle.sync();
      await handle.close();
      await fs.promises.rename(this.#temporary, this.#file);
      await syncFolder(path.dirname(this.#file));
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async abort(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => undefined);
    for (const file of [this.#temporary, this.#part]) await fs.promises.rm(file, { force: true });
  }

  get #part(): string {
    return this.#file + PART_SUFFIX;
  }

  get #temporary(): string {
    return this.#file + TEMPORARY_SUFFIX;
  }

  async #add(
    name: string,
    size: number,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const header = { name, size, mode: MEMBER_MODE, mtime: this.#modified };
    const added = pipeline(chunks, this.#pack.entry(header));
    // A failure of the file behind leaves the member waiting for ever.
    await Promise.race([added, this.#written.then(() => added)]);
  }
}

const READ_BYTES = 1 << 20;
