/**
 * The kernels of assembly/ as WebAssembly, compiled by `npm run build`: do not edit. SHA-256 of
 * sources and options: f5d089b8444a62c5076cb9d2e66920c5dad53c0957de4a3f21c137aaba49a949.
 */
export const CHECKSUM_KERNELS_BASE64 = [
  'AGFzbQEAAAABBgFgAn9/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcRAgRmb2xkAAAGbWVtb3J5AgAKagFoACAAIAFBBH',
  'RqIQEDQCAAIAFJBEAgACAAQZAaa/0ABAAgAEGwGGv9AAQA/VEgAEGgFWv9AAQAIABBsBNr/QAEAP1R/VEgAEGQCGv9',
  'AAQAIAD9AAQA/VH9Uf0LBAAgAEEQaiEADAELCws=',
].join('');
