/**
 * Decides whether to find the best documents of a set by a walk of all entries in order, or by a
 * look-up of each document of the set.
 */
import { limits } from '../../core/limits.ts';

/** Documents that a search is likely to show. */
const PAGE_DOCUMENTS = limits.pageItemsDefault;

/**
 * True if a walk of sorted entries, until it has found a page of the set, is likely to cost no more
 * than a look-up of the complete set. If the documents are spread evenly, a walk finds one of them
 * every `entryCount / setCount` entries.
 * @param lookUpCost cost of the look-up of one document, in entries of a walk
 */
export const walksToPage = (setCount: number, entryCount: number, lookUpCost: number): boolean =>
  setCount * setCount * lookUpCost >= PAGE_DOCUMENTS * entryCount;
