/**
 * Searches that nobody has asked yet, of what people who begin to type will ask first, so that a
 * thread has compiled its code and keeps its results when they do.
 */
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../model/search.ts';
import { frequentBeginnings } from './frequent-beginnings.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';

export interface AskingPorts {
  readonly search: (request: SearchRequest) => void;
  /** For another search. */
  readonly hasTime: () => boolean;
  /** For what another search finds and keeps. */
  readonly hasRoom: () => boolean;
}

export class AskedAhead {
  /** What has not been asked yet of each open snapshot, the last one first. */
  readonly #left = new WeakMap<IndexSnapshot, string[]>();

  /**
   * Goes on where it ended for this snapshot, until a search ends after which there is no time.
   * @returns searches that were made and that are left: none when there is no room for more
   */
  ask(snapshot: IndexSnapshot, ports: AskingPorts): { asked: number; left: number } {
    const left = this.#left.get(snapshot) ?? frequentBeginnings(snapshot).reverse();
    this.#left.set(snapshot, left);
    const { matchingStrategy } = snapshot.manifest.settings;
    let asked = 0;
    for (let hasTime = true; hasTime && left.length > 0; hasTime = ports.hasTime()) {
      if (!ports.hasRoom()) return { asked, left: 0 };
      const q = left.pop() ?? null;
      ports.search({ ...DEFAULT_SEARCH_REQUEST, matchingStrategy, q });
      asked++;
    }
    return { asked, left: left.length };
  }
}
