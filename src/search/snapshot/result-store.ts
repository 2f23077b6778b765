/** The memory in which searches keep what later ones need again, shared out between results and documents. */
import { BudgetCache } from '../../core/budget-cache.ts';
import type { ResultStore } from './kept-results.ts';

/** One byte in so many is for stored documents. */
const DOCUMENTS_SHARE = 16;

/** @param now milliseconds, for what results cost; absent = all cost the same */
export function resultStore(bytesMax: number, now: () => number = () => 0): ResultStore {
  const documentBytes = Math.floor(bytesMax / DOCUMENTS_SHARE);
  return {
    cache: new BudgetCache(bytesMax - documentBytes),
    documents: new BudgetCache(documentBytes),
    now,
  };
}
