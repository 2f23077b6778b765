/**
 * Maps a file read-only into memory through libc where that works (Linux, macOS); elsewhere reads
 * it into memory.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import koffi from 'koffi';

const PROT_READ = 1;
const MAP_SHARED = 1;
/** What mmap answers on failure, as an unsigned 64-bit address. */
const MAP_FAILED = 0xffffffffffffffffn;
const READ_BYTES_MAX = 1 << 30;

interface Libc {
  readonly mmap: (
    address: null,
    length: number,
    protection: number,
    flags: number,
    descriptor: number,
    offset: number,
  ) => unknown;
  readonly munmap: (address: unknown, length: number) => number;
}

let libc: Libc | null | undefined;

/** The two functions, or null where they cannot be had. */
function loadLibc(): Libc | null {
  if (libc !== undefined) return libc;
  const name = { linux: 'libc.so.6', darwin: 'libSystem.dylib' }[process.platform as string];
  libc = null;
  if (name === undefined) return libc;
  for (const candidate of [name, null]) {
    try {
      const library = koffi.load(candidate);
      libc = {
        mmap: library.func(
          'void *mmap(void *, size_t, int, int, int, int64_t)',
        ) as unknown as Libc['mmap'],
        munmap: library.func('int munmap(void *, size_t)') as unknown as Libc['munmap'],
      };
      return libc;
    } catch {
      libc = null;
    }
  }
  return libc;
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  /**
   * Gives the mapping back; a second call does nothing. After it no view of `bytes` may be touched.
   */
  close(): void;
}

/** The whole file. Files must not be changed while mapped. */
export function mapFile(path: string): FileBytes {
  const descriptor = openSync(path, 'r');
  try {
    const length = fstatSync(descriptor).size;
    return (
      (length > 0 ? mapDescriptor(descriptor, length) : null) ?? readDescriptor(descriptor, length)
    );
  } finally {
    closeSync(descriptor);
  }
}

function mapDescriptor(descriptor: number, length: number): FileBytes | null {
  const functions = loadLibc();
  if (functions === null) return null;
  const address = functions.mmap(null, length, PROT_READ, MAP_SHARED, descriptor, 0);
  if (address === null || BigInt.asUintN(64, koffi.address(address)) === MAP_FAILED) return null;
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    functions.munmap(address, length);
  };
  return { bytes: new Uint8Array(koffi.view(address, length)), close };
}

/** Reads the whole file into memory; exported for machines and tests without mapping. */
export function readDescriptor(descriptor: number, length: number): FileBytes {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const count = readSync(descriptor, bytes, at, Math.min(length - at, READ_BYTES_MAX), at);
    if (count === 0) throw new Error(`file ended at byte ${at} of ${length}`);
    at += count;
  }
  return { bytes, close: () => undefined };
}
