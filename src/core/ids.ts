/** Branded number types. */
declare const brand: unique symbol;

/** Internal document number, index-wide, 0 … 2³²−2; stable while the document exists. */
export type DocId = number & { readonly [brand]: 'DocId' };
