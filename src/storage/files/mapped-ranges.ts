/**
 * Where files are mapped: long ranges of addresses, each of which is one buffer as long as the thread
 * lives. V8 takes the length of any buffer outside of its heap for memory that a collection could
 * free: with a buffer for each file, a merge that is published makes every thread that searches collect
 * its whole heap, some milliseconds at a time, while people wait.
 */
import koffi from 'koffi';
import { FreePlaces } from './free-places.ts';

/** What the C library calls it; numbers that are not the same everywhere are by platform. */
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
/** What mmap answers on failure. */
const MAP_FAILED = 0xffffffffffffffffn;

/** The longest buffer that every supported version of Node makes; addresses alone cost nothing. */
const RANGE_BYTES = 2 ** 32;
/** A multiple of the pages of all platforms. */
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
  /** Of a mapping of nothing, which reserves its addresses. */
  readonly emptyFlags: number;
}

let libc: Libc | null | undefined;

/** null where its functions cannot be had. */
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
      // The next name, or none.
    }
  }
  return libc;
}

/** From so many bytes on a file is let go of beside the thread, so many files at a time. */
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

  /** Where there is room for so many bytes; null = nowhere. */
  take(length: number): number | null {
    return this.#free.take(placeLength(length));
  }

  /** At a place that was taken; null when the file cannot be mapped. */
  map(place: number, descriptor: number, length: number): MappedBytes | null {
    const address = this.#start + BigInt(place);
    const flags = MAP_SHARED | MAP_FIXED;
    const mapped = this.#libc.mmap(address, length, PROT_READ, flags, descriptor, 0);
    if (addressOf(mapped) !== address) {
      this.#free.giveBack(place, placeLength(length));
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
   * A long one beside the thread: whoever is the last to let go of a file that was removed does the
   * work of freeing what the page cache has of it, 7 ms for 80 MB. Its pages go first, so that the
   * addresses of the process are locked for a moment only.
   */
  #unmap(place: number, length: number): void {
    const { mmap, madvise, emptyFlags } = this.#libc;
    const address = this.#start + BigInt(place);
    const empty = [address, length, PROT_NONE, emptyFlags | MAP_FIXED, -1, 0] as const;
    const done = (mapped: unknown): void => {
      if (addressOf(mapped) === address) this.#free.giveBack(place, length);
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
  /**
   * Gives the mapping back; a second call does nothing. After it no view of `bytes` may be touched.
   */
  close(): void;
}

/** Of the buffers of this thread, those that are addresses and mapped files, and no memory. */
export const mappedRangeBytes = (): number => ranges.reduce((sum, { bytes }) => sum + bytes, 0);

/** The first `length` bytes of an open file; null where files cannot be mapped, or this one cannot. */
export function mapBytes(descriptor: number, length: number): MappedBytes | null {
  const functions = loadLibc();
  if (functions === null || length === 0 || length > RANGE_BYTES) return null;
  for (const range of ranges) {
    const place = range.take(length);
    if (place !== null) return range.map(place, descriptor, length);
  }
  // A short one where a process may not have so many addresses.
  const range = newRange(functions, RANGE_BYTES) ?? newRange(functions, placeLength(length));
  const place = range?.take(length) ?? null;
  return place === null ? null : (range?.map(place, descriptor, length) ?? null);
}
