/**
 * What an edit function may cost. Beyond any of these it fails with an error that names the limit.
 */
import { limits } from '../core/limits.ts';

export const editLimits = {
  /** Bytes of a script in UTF-8. */
  scriptBytesMax: 65_536,
  /** Levels of expressions and blocks inside each other in a script. */
  nestingMax: 128,
  /** Parameters of a function or closure. */
  parametersMax: 16,
  /** Functions and closures that call each other. */
  callDepthMax: 32,
  /** Levels of expressions under evaluation, calls included: bounds the stack. */
  evaluationDepthMax: 256,
  /**
   * Steps for one document; work that grows with a value costs a step for every few bytes or items
   * of it.
   */
  operationsMax: 1_000_000,
  /** UTF-16 units of a string that a script makes. */
  textLengthMax: 4_194_304,
  arrayLengthMax: 262_144,
  mapSizeMax: limits.fieldsPerIndexMax,
  /** Bytes that a script allocates for one document, garbage included. */
  allocatedBytesMax: 64 * 1024 ** 2,
  /** Arrays and maps inside each other in a value. */
  valueDepthMax: limits.jsonDepthMax,
} as const;
