/**
 * The kernels of vector search, in AssemblyScript; `npm run build` compiles them into
 * ../compiled-kernels.ts. All arguments are byte addresses (multiples of 16) in the one imported
 * memory, or counts; `Kernels` in ../kernels.ts documents each function.
 */
export { assign } from './assign';
export { encode, pack } from './codes';
export { accumulate, products } from './products';
export { normalize, rotate } from './rotation';
export { compare, widen } from './rows';
export { estimate, lookUp, scan } from './scan';
