/**
 * The kernels of assembly/ as WebAssembly, compiled by `npm run build`: do not edit. SHA-256 of
 * sources and options: 59c3ce06b3276b8a460ee4278333cedab3030a9c495e92f9b84eefb8352eb40a.
 */
export const CHECKSUM_KERNELS_BASE64 = [
  'AGFzbQEAAAABBgFgAn9/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcRAgRmb2xkAAAGbWVtb3J5AgAKagFoACAAIAFBBH',
  'RqIQEDQCAAIAFJBEAgACAAQZAaa/0ABAAgAEGwGGv9AAQA/VEgAEGgFWv9AAQAIABBsBNr/QAEAP1R/VEgAEGQCGv9',
  'AAQAIAD9AAQA/VH9Uf0LBAAgAEEQaiEADAELCws=',
].join('');
