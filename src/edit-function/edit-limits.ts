/** Limits of an edit function. Beyond a limit it fails with an error that names the limit. */
import { limits } from '../core/limits.ts';

export const editLimits = {
  /** Bytes of a script in UTF-8. */
  scriptBytesMax: 65_536,
  nestingMax: 128,
  parametersMax: 16,
  callDepthMax: 32,
  /** Depth of expression evaluation, including calls; bounds the stack. */
  evaluationDepthMax: 256,
  /** Steps per document; work that grows with a value costs a step per few bytes or items. */
  operationsMax: 1_000_000,
  /** UTF-16 units of a string created by a script. */
  textLengthMax: 4_194_304,
  arrayLengthMax: 262_144,
  mapSizeMax: limits.fieldsPerIndexMax,
  /** Bytes that a script allocates for one document, garbage included. */
  allocatedBytesMax: 64 * 1024 ** 2,
  valueDepthMax: limits.jsonDepthMax,
} as const;
