/**
 * Maps files into large address ranges, each of which is one ArrayBuffer that lives as long as the
 * thread. Reason: V8 counts the length of every external buffer as memory that a collection could
 * free. With a buffer for each file, publishing a merge makes every query thread collect its whole
 * heap, which takes some milliseconds during searches.
 */
import koffi from 'koffi';

interface Place {
  start: number;
  end: number;
}

export class FreePlaces {
  /** Ascending, without adjacent ranges. */
  readonly #places: Place[];

  constructor(length: number) {
    this.#places = [{ start: 0, end: length }];
  }

  /** First number of a free run of `count` numbers; null if there is none. */
  take(length: number): number | null {
    const at = this.#places.findIndex(({ start, end }) => end - start >= length);
    const place = this.#places[at];
    if (place === undefined) return null;
    const { start } = place;
    place.start += length;
    if (place.start === place.end) this.#places.splice(at, 1);
    return start;
  }

  /** Frees an allocated run. */
  release(start: number, length: number): void {
    const end = start + length;
    const next = this.#places.findIndex((place) => place.start >= end);
    const at = next < 0 ? this.#places.length : next;
    const before = this.#places[at - 1];
    const after = this.#places[at];
    const joins = before?.end === start;
    if (joins && after?.start === end) {
      before.end = after.end;
      this.#places.splice(at, 1);
    } else if (joins) before.end = end;
    else if (after?.start === end) after.start = start;
    else this.#places.splice(at, 0, { start, end });
  }
}

/**
 * The C library's function names and constants. Constants that differ by platform are listed by
 * platform.
 */
const PROT_NONE = 0;
const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_PRIVATE = 2;
const MAP_FIXED = 0x10;
const MADV_DONTNEED = 4;
const PLATFORMS: Partial<
  Record<
    string,
    { readonly library: string; readonly anonymous: number; readonly noReserve: number }
  >
> = {
  linux: { library: 'libc.so.6', anonymous: 0x20, noReserve: 0x4000 },
  darwin: { library: 'libSystem.dylib', anonymous: 0x1000, noReserve: 0x40 },
};
/** Result of mmap on failure (MAP_FAILED). */
const MAP_FAILED = 0xffffffffffffffffn;

/**
 * The longest buffer that every supported version of Node creates. Reserved addresses cost no
 * memory.
 */
const RANGE_BYTES = 2 ** 32;
/** A multiple of the page size of all platforms. */
const PLACE_BYTES = 65_536;

type Address = bigint | null;

interface Mmap {
  (...args: MmapArguments): bigint;
  readonly async: (...args: [...MmapArguments, (error: unknown, address: bigint) => void]) => void;
}
type MmapArguments = [
  address: Address,
  length: number,
  protection: number,
  flags: number,
  descriptor: number,
  offset: number,
];

interface Libc {
  readonly mmap: Mmap;
  readonly madvise: (address: bigint, length: number, advice: number) => number;
  /** Flags of an anonymous mapping without access, which reserves addresses. */
  readonly emptyFlags: number;
}

let libc: Libc | null | undefined;

/** null where the C functions are not available. */
function loadLibc(): Libc | null {
  if (libc !== undefined) return libc;
  libc = null;
  const platform = PLATFORMS[process.platform];
  if (platform === undefined) return libc;
  const { library, anonymous, noReserve } = platform;
  for (const name of [library, null]) {
    try {
      const loaded = koffi.load(name);
      libc = {
        mmap: loaded.func('void *mmap(void *, size_t, int, int, int, int64_t)') as unknown as Mmap,
        madvise: loaded.func('int madvise(void *, size_t, int)') as unknown as Libc['madvise'],
        emptyFlags: MAP_PRIVATE | anonymous | noReserve,
      };
      break;
    } catch {
      // The next library name, or none.
    }
  }
  return libc;
}

/** Files of at least `LONG_BYTES` are unmapped off-thread, at most `GOING_MAX` at a time. */
const LONG_BYTES = 1 << 20;
const GOING_MAX = 16;
let goingCount = 0;

const placeLength = (length: number): number => Math.ceil(length / PLACE_BYTES) * PLACE_BYTES;

const addressOf = (pointer: unknown): bigint => BigInt.asUintN(64, koffi.address(pointer));

class MappedRange {
  readonly #libc: Libc;
  readonly #start: bigint;
  readonly #buffer: ArrayBuffer;
  readonly #free: FreePlaces;

  constructor(functions: Libc, start: bigint, buffer: ArrayBuffer) {
    this.#libc = functions;
    this.#start = start;
    this.#buffer = buffer;
    this.#free = new FreePlaces(buffer.byteLength);
  }

  get bytes(): number {
    return this.#buffer.byteLength;
  }

  /** Offset of a free range of `bytes` bytes; null if there is none. */
  take(length: number): number | null {
    return this.#free.take(placeLength(length));
  }

  /** Maps at an allocated offset; null when the file cannot be mapped. */
  map(place: number, descriptor: number, length: number): MappedBytes | null {
    const address = this.#start + BigInt(place);
    const flags = MAP_SHARED | MAP_FIXED;
    const mapped = this.#libc.mmap(address, length, PROT_READ, flags, descriptor, 0);
    if (addressOf(mapped) !== address) {
      this.#free.release(place, placeLength(length));
      return null;
    }
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#unmap(place, placeLength(length));
    };
    return { bytes: new Uint8Array(this.#buffer, place, length), close };
  }

  /**
   * Unmaps a large file off-thread: the last munmap of an unlinked file frees its page cache, about
   * 7 ms per 80 MB. The pages are dropped first, so that the address space lock of the process is
   * held only briefly.
   */
  #unmap(place: number, length: number): void {
    const { mmap, madvise, emptyFlags } = this.#libc;
    const address = this.#start + BigInt(place);
    const empty = [address, length, PROT_NONE, emptyFlags | MAP_FIXED, -1, 0] as const;
    const done = (mapped: unknown): void => {
      if (addressOf(mapped) === address) this.#free.release(place, length);
    };
    if (length < LONG_BYTES || goingCount === GOING_MAX) {
      done(mmap(...empty));
      return;
    }
    goingCount++;
    madvise(address, length, MADV_DONTNEED);
    mmap.async(...empty, (error, mapped) => {
      goingCount--;
      if (error === null) done(mapped);
    });
  }
}

const ranges: MappedRange[] = [];

function newRange(functions: Libc, length: number): MappedRange | null {
  const pointer = functions.mmap(null, length, PROT_NONE, functions.emptyFlags, -1, 0);
  const start = pointer === null ? MAP_FAILED : addressOf(pointer);
  if (start === MAP_FAILED) return null;
  const range = new MappedRange(functions, start, koffi.view(pointer, length));
  ranges.push(range);
  return range;
}

export interface MappedBytes {
  readonly bytes: Uint8Array;
  /** Unmaps. A second call does nothing. Views of `bytes` are invalid afterwards. */
  close(): void;
}

/** Bytes of this thread's range buffers, which are address space and mapped files, not memory. */
export const mappedRangeBytes = (): number => ranges.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Maps the first `length` bytes of an open file; null where files cannot be mapped, or this one
 * cannot.
 */
export function mapBytes(descriptor: number, length: number): MappedBytes | null {
  const functions = loadLibc();
  if (functions === null || length === 0 || length > RANGE_BYTES) return null;
  for (const range of ranges) {
    const place = range.take(length);
    if (place !== null) return range.map(place, descriptor, length);
  }
  // A shorter range where the address space of a process is limited.
  const range = newRange(functions, RANGE_BYTES) ?? newRange(functions, placeLength(length));
  const place = range?.take(length) ?? null;
  return place === null ? null : (range?.map(place, descriptor, length) ?? null);
}
