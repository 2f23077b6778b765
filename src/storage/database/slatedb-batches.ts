/**
 * Fills write batches of SlateDB by direct calls of its native library: 6 µs for a `put` instead of 16.
 * The classes of the library allocate, write and read a structure for the status of each of the four
 * native calls of a `put`. Here one status serves all calls.
 */
import {
  type Define,
  type NativeCalls,
  type NativeFunction,
  withWrappedFunctions,
} from './native-calls.ts';

const CONSTRUCTOR = 'uniffi_slatedb_uniffi_fn_constructor_writebatch_new';
const CLONE = 'uniffi_slatedb_uniffi_fn_clone_writebatch';
const PUT = 'uniffi_slatedb_uniffi_fn_method_writebatch_put';
const DELETE = 'uniffi_slatedb_uniffi_fn_method_writebatch_delete';
const COPY = 'ffi_slatedb_uniffi_rustbuffer_from_bytes';
/** Of a status: its code in the first byte, 0 = success, and a buffer with the error. */
const STATUS_BYTES = 32;
/** Bytes are passed after their length, big-endian. */
const LENGTH_BYTES = 4;

export interface StructCalls extends NativeCalls {
  struct(members: Readonly<Record<string, unknown>>): unknown;
}

interface Batch {
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
}

interface BatchLibrary {
  readonly WriteBatch: new () => Batch;
}

/** Runs `load`, which must load the library by `calls`. @returns it with a faster `WriteBatch` */
export async function withDirectBatches<Library extends BatchLibrary>(
  calls: StructCalls,
  load: () => Promise<Library>,
): Promise<Library> {
  const made: { define: Define | null; handle: unknown } = { define: null, handle: null };
  const noteHandle = (name: string, native: NativeFunction, define: Define): NativeFunction => {
    made.define = define;
    if (name !== CONSTRUCTOR) return native;
    const create = (...parameters: readonly unknown[]): unknown => {
      made.handle = native(...parameters);
      return made.handle;
    };
    return Object.assign(create, { async: native.async });
  };
  const library = await withWrappedFunctions(calls, noteHandle, load);
  if (made.define === null) return library;
  const direct = new DirectCalls(calls, made.define);
  class DirectBatch extends library.WriteBatch {
    readonly #handle = made.handle;

    override put(key: Uint8Array, value: Uint8Array): void {
      direct.put(this.#handle, key, value);
    }

    override delete(key: Uint8Array): void {
      direct.delete(this.#handle, key);
    }
  }
  return { ...library, WriteBatch: DirectBatch };
}

class DirectCalls {
  readonly #status = Buffer.alloc(STATUS_BYTES);
  /** For keys and most values. */
  readonly #passed = Buffer.alloc(1 << 17);
  readonly #clone: NativeFunction;
  readonly #copy: NativeFunction;
  readonly #put: NativeFunction;
  readonly #delete: NativeFunction;

  constructor(calls: StructCalls, define: Define) {
    const owned = calls.struct({ capacity: 'uint64_t', len: 'uint64_t', data: 'uint64_t' });
    const given = calls.struct({ len: 'int32_t', data: 'void *' });
    const [handle, status] = ['uint64_t', 'void *'];
    this.#clone = define(CLONE, handle, [handle, status]);
    this.#copy = define(COPY, owned, [given, status]);
    this.#put = define(PUT, 'void', [handle, owned, owned, status]);
    this.#delete = define(DELETE, 'void', [handle, owned, status]);
  }

  put(batch: unknown, key: Uint8Array, value: Uint8Array): void {
    this.#put(this.#cloneOf(batch), this.#copyOf(key), this.#copyOf(value), this.#status);
    this.#check();
  }

  delete(batch: unknown, key: Uint8Array): void {
    this.#delete(this.#cloneOf(batch), this.#copyOf(key), this.#status);
    this.#check();
  }

  /** A call takes over its handle and its buffers. */
  #cloneOf(batch: unknown): unknown {
    const clone = this.#clone(batch, this.#status);
    this.#check();
    return clone;
  }

  #copyOf(bytes: Uint8Array): unknown {
    const len = LENGTH_BYTES + bytes.length;
    const data = len <= this.#passed.length ? this.#passed : Buffer.alloc(len);
    data.writeUInt32BE(bytes.length);
    data.set(bytes, LENGTH_BYTES);
    const copy = this.#copy({ len, data }, this.#status);
    this.#check();
    return copy;
  }

  #check(): void {
    if (this.#status[0] === 0) return;
    this.#status.fill(0);
    throw new Error('SlateDB refused an operation of a batch of writes');
  }
}
