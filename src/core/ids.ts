/** Branded numbers and strings of the system, so that one kind of id cannot be passed for another. */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** Internal document number, index-wide, 0 … 2³²−2; stable while the document exists. */
export type DocId = Branded<number, 'DocId'>;
/** Rank of a term in one segment's term dictionary (byte order). */
export type TermOrdinal = Branded<number, 'TermOrdinal'>;
/** Position of a published state of one index; grows by one with each commit that touches the index. */
export type Generation = Branded<number, 'Generation'>;
export type TaskUid = Branded<number, 'TaskUid'>;
export type BatchUid = Branded<number, 'BatchUid'>;
