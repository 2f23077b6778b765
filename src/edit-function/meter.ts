/** Counts the costs of the run for one document, and ends it beyond the limits. */
import type { Deadline } from '../core/deadline.ts';
import { editLimits } from './edit-limits.ts';
import { ScriptError } from './script-error.ts';

/** Operations between two checks of the deadline. */
const CLOCK_OPERATIONS = 2048;
/** Bytes or items that one operation handles when a built-in walks a value. */
const UNITS_PER_OPERATION = 16;
/** Approximate bytes of an array item, and of a string without its text. */
const ITEM_BYTES = 16;
/** Approximate bytes of a variable, a map member or a closure. */
const CELL_BYTES = 64;

export class Meter {
  readonly #deadline: Deadline;
  #operations = 0;
  #bytes = 0;
  #nextLook = CLOCK_OPERATIONS;

  /** @param deadline for all documents together */
  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  get operations(): number {
    return this.#operations;
  }
  get allocatedBytes(): number {
    return this.#bytes;
  }

  step(at: number, count = 1): void {
    this.#operations += count;
    if (this.#operations < this.#nextLook) return;
    if (this.#operations > editLimits.operationsMax) {
      throw this.#limit(
        `takes more than ${editLimits.operationsMax} operations for one document`,
        at,
      );
    }
    this.#nextLook = Math.min(this.#operations + CLOCK_OPERATIONS, editLimits.operationsMax + 1);
    if (this.#deadline.exceeded) throw this.#limit('takes too long for all documents together', at);
  }

  /** Charges work on a value of `units` characters or items. */
  walk(at: number, units: number): void {
    this.step(at, 1 + Math.floor(units / UNITS_PER_OPERATION));
  }

  allocate(at: number, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > editLimits.allocatedBytesMax) {
      throw this.#limit(
        `takes more than ${editLimits.allocatedBytesMax} bytes of memory for one document`,
        at,
      );
    }
  }

  /** Charges a new variable or closure. */
  cell(at: number): void {
    this.allocate(at, CELL_BYTES);
  }

  /** Charges a new string of `length` UTF-16 units; must be called before the string is created. */
  text(at: number, length: number): void {
    if (length > editLimits.textLengthMax) {
      throw this.#limit(`makes a string of more than ${editLimits.textLengthMax} characters`, at);
    }
    this.walk(at, length);
    this.allocate(at, ITEM_BYTES + length * 2);
  }

  /** Charges an array that grows by `added` to `length` items. */
  items(at: number, length: number, added: number): void {
    if (length > editLimits.arrayLengthMax) {
      throw this.#limit(`makes an array of more than ${editLimits.arrayLengthMax} items`, at);
    }
    this.walk(at, added);
    this.allocate(at, added * ITEM_BYTES);
  }

  /** Charges a map that grows to `size` members. */
  member(at: number, size: number): void {
    if (size > editLimits.mapSizeMax)
      throw this.#limit(`makes a map of more than ${editLimits.mapSizeMax} members`, at);
    this.cell(at);
  }

  depth(at: number, what: string, depth: number, max: number): void {
    if (depth > max) throw this.#limit(`nests ${what} deeper than ${max} levels`, at);
  }

  #limit(what: string, at: number): ScriptError {
    return new ScriptError('limit', `the function ${what}`, at);
  }
}
