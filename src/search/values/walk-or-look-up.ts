/**
 * Whether the best documents of a set are found by walking all entries in their order, or by
 * looking each document of the set up.
 */
import { limits } from '../../core/limits.ts';

/** Documents that a search is likely to show. */
const PAGE_DOCUMENTS = limits.pageItemsDefault;

/**
 * Whether walking entries that are in order already, until a page of the set has been met, is
 * likely to cost no more than looking all of the set up. With its documents spread evenly, a walk
 * meets one of them every `entryCount / setCount` entries.
 * @param lookUpCost what one document looked up costs, in entries of a walk
 */
export const walksToPage = (setCount: number, entryCount: number, lookUpCost: number): boolean =>
  setCount * setCount * lookUpCost >= PAGE_DOCUMENTS * entryCount;
