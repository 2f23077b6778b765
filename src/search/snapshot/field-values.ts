/** The values of one field over all segments of a snapshot, without deleted documents. */
import type { Column } from '../../engine/columns/columns-reader.ts';
import { andNotInto, orInto } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

export interface FieldPart {
  /** Id of the column's file. */
  readonly fileId: string;
  readonly column: Column;
  /** Deleted documents of the column's segment. */
  readonly dead: Uint32Array | null;
}

export class FieldValues {
  readonly path: string;
  /** One part for each segment that has the field; empty when no document ever had it. */
  readonly parts: readonly FieldPart[];
  readonly #bitsetLength: number;

  constructor(snapshot: Pick<IndexSnapshot, 'columns' | 'dead' | 'bitsetLength'>, path: string) {
    this.path = path;
    this.#bitsetLength = snapshot.bitsetLength;
    this.parts = snapshot.columns.flatMap((files, s) =>
      files.flatMap((file) => {
        const column = file.column(path);
        return column ? [{ fileId: file.id, column, dead: snapshot.dead[s]! }] : [];
      }),
    );
  }

  /** Live documents that `add` ors in from the column of each part. */
  gather(add: (column: Column, bits: Uint32Array, part: number) => void): DocSet {
    const all = new Uint32Array(this.#bitsetLength);
    this.parts.forEach(({ column, dead }, part) => {
      if (dead === null) add(column, all, part);
      else {
        const bits = new Uint32Array(this.#bitsetLength);
        add(column, bits, part);
        orInto(all, andNotInto(bits, dead));
      }
    });
    return DocSet.fromBits(all);
  }
}
