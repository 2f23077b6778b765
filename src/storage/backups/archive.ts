/**
 * Backup archives: gzip-compressed tar. Reading extracts regular files only and refuses every
 * member that could be written outside of the target. Writing ends with a synced file under its
 * name, or with no file.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { humanSize } from '../../core/human-size.ts';
import { fileChunks } from '../files/file-chunks.ts';
import { syncFolder } from '../files/sync-folder.ts';

/** The archive is invalid or refused; the message is one line for the user. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

export interface UnpackedFile {
  /** Path in the archive, without `./`. */
  readonly name: string;
  /**
   * Path on disk, below the target. Derived from the member's name, within the limits of file
   * systems.
   */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal SHA-256. */
  readonly sha256: string;
}

/** Limits on the unpacked archive. The size of the archive itself bounds neither. */
export interface UnpackLimits {
  /** Bytes, skipped members included; null = `UNPACKED_RATIO_MAX` times the archive size. */
  readonly bytesMax: number | null;
  /** Files and folders, skipped ones included. */
  readonly entriesMax: number;
}

/** Defaults of the launch options. */
export const DEFAULT_UNPACK_LIMITS: UnpackLimits = { bytesMax: null, entriesMax: 1_000_000 };

/** JSON documents rarely compress by more than 50:1; zeros compress by 1000:1. */
const UNPACKED_RATIO_MAX = 200;
/** Bytes always allowed: small archives may have a higher ratio. */
const UNPACKED_BYTES_MIN = 1024 ** 3;
/** Bytes of the headers of one member, long names included. Headers are read into memory. */
const HEADER_BYTES_MAX = 4 << 20;

interface UnpackOptions {
  /** True for members to extract; all other members are read and discarded. */
  readonly wants: (name: string) => boolean;
  readonly limits: UnpackLimits;
  /** True if the files must survive a power cut when the promise resolves. */
  readonly isSynced: boolean;
  readonly onBytes: (bytes: number) => void;
}

const DEPTH_MAX = 16;
/** Extra members that the archivers of macOS and old Unix archivers write. */
const ARCHIVER_MEMBER = /(^|\/)(\._[^/]*|PaxHeaders?(\.[^/]*)?(\/.*)?)$/;

/**
 * Extracts the wanted files into `target`, which must exist.
 * @throws ArchiveRefused when the archive is truncated, has another format, or a member would leave
 * the folder
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
      if (header.type === 'directory' || ARCHIVER_MEMBER.test(name) || !options.wants(name)) {
        for await (const _ of content);
        continue;
      }
      if (found.has(name)) throw refused(file, `holds ${shown(name)} twice`);
      found.set(name, await writeEntry(content, name, target, options));
    }
    await piping;
  } catch (error) {
    // When earlier bytes are damaged, the reader of a member only gets "stream ended"; the error of
    // the decompressor has the cause.
    await nextTurn();
    const cause = error instanceof ArchiveRefused || wasStopped(broken) ? error : (broken ?? error);
    extract.destroy();
    await piping.catch(() => undefined);
    throw toRefusal(file, cause);
  }
  return [...found.values()];
}

/** Counts the unpacked bytes and members and throws when a limit is exceeded. */
class UnpackCount {
  readonly #file: string;
  readonly #bytesMax: number;
  readonly #entriesMax: number;
  #bytes = 0;
  #entries = 0;
  /** Bytes since the last read of a member, which are header bytes. */
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

/** Ends reading early when the caller needs no further member. Not a fault of the archive. */
const wasStopped = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** The member's path, checked to be below the target. */
function checkedName(file: string, { name, type }: tar.Headers): string {
  if (type !== 'file' && type !== 'directory' && type !== 'contiguous-file')
    throw refused(
      file,
      `holds ${shown(name)}, which is neither a file nor a folder but of type ${type}`,
    );
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

/** Path segments longer than file systems allow are shortened and made unique by their digest. */
const FILE_NAME_BYTES_MAX = 255;

const fileNameOf = (part: string): string =>
  Buffer.byteLength(part) <= FILE_NAME_BYTES_MAX
    ? part
    : createHash('sha256').update(part).digest('hex');

const refused = (file: string, why: string): ArchiveRefused =>
  new ArchiveRefused(`${file} ${why}: it is not imported`);

const SHOWN_MAX = 200;
const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_MAX));

/** Messages of the gzip and tar readers for damaged bytes. */
function toRefusal(file: string, error: unknown): unknown {
  if (error instanceof ArchiveRefused || !(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const isOfBytes =
    code.startsWith('Z_') || /tar (header|data)|unexpected end/i.test(error.message);
  if (!isOfBytes) return error;
  return refused(file, `is damaged, or not a gzip-compressed tar archive (${error.message})`);
}

interface ArchiveOptions {
  /** 0 (uncompressed) to 9 (smallest). */
  readonly compression: number;
  /** File mode of the finished file. */
  readonly mode: number;
}

const TEMPORARY_SUFFIX = '.tmp';
const PART_SUFFIX = '.part';
const MEMBER_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** An archive being written. Call exactly one of `finish` and `abort`, once. */
export class ArchiveWriter {
  readonly #file: string;
  readonly #options: ArchiveOptions;
  readonly #pack = tar.pack();
  readonly #written: Promise<void>;
  readonly #modified = new Date();

  /** @param file path; its folder must exist */
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

  /** Adds a folder, for readers that need it although it may be empty. */
  addFolder(name: string): void {
    const mtime = this.#modified;
    this.#pack.entry({ name: `${name}/`, type: 'directory', mode: FOLDER_MODE, mtime });
  }

  /** Resolves with the hexadecimal SHA-256 of the bytes. */
  async addBytes(name: string, bytes: Uint8Array): Promise<string> {
    await this.#add(name, bytes.length, [bytes]);
    return createHash('sha256').update(bytes).digest('hex');
  }

  /**
   * Adds a member of unknown length: its content is first written to a temporary file in the
   * archive's folder.
   */
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

  /** Resolves with the hexadecimal SHA-256 of the file. The file must not change meanwhile. */
  async addFile(name: string, source: string): Promise<string> {
    const { size } = await fs.promises.stat(source);
    const hash = createHash('sha256');
    const hashed = async function* (): AsyncIterable<Uint8Array> {
      for await (const chunk of fileChunks(source, { highWaterMark: READ_BYTES })) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await this.#add(name, size, hashed());
    return hash.digest('hex');
  }

  /**
   * Resolves when the archive survives a power cut under its name. Replaces an existing archive.
   */
  async finish(): Promise<void> {
    try {
      this.#pack.finalize();
      await this.#written;
      const handle = await fs.promises.open(this.#temporary, 'r+');
      try {
        await handle.chmod(this.#options.mode);
        await handle.sync();
      } finally {
        await handle.close();
      }
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
    // Without this, a failed write to the output file would leave the member pending forever.
    await Promise.race([added, this.#written.then(() => added)]);
  }
}

const READ_BYTES = 1 << 20;
