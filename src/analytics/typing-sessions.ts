/**
 * Search as you type sends a search for every key press: `h`, `ha`, `har`. They count as one, the
 * last of them. A search continues an earlier one if both are of the same user, index and filter,
 * come within 5 seconds, the earlier one has no events, and its text is not empty and the beginning
 * of the later one. A user also repeats a text, for the next page; without a user id the later text
 * must be longer, by at most 3 characters, because it may be another user's.
 */
import { normalQuery, type SearchRow } from '../model/analytics.ts';

const WINDOW_MS = 5000;
const UNKNOWN_GROWTH_MAX = 3;
/** Unfinished texts of the same user, as of several open pages; of all unknown users. */
const OPEN_MAX = 64;
/** Least number of rows between two passes that end the sessions of users who search no more. */
const PASS_ROWS_MIN = 4096;

interface OpenSearch {
  readonly row: SearchRow;
  readonly text: string;
}

export class TypingSessions {
  readonly #hasEvents: (row: SearchRow) => boolean;
  readonly #onEnd: (row: SearchRow, text: string) => void;
  readonly #open = new Map<string, OpenSearch[]>();
  #rowsUntilPass = PASS_ROWS_MIN;

  /** @param onEnd called once for every search that counts, with its normal text */
  constructor(
    hasEvents: (row: SearchRow) => boolean,
    onEnd: (row: SearchRow, text: string) => void,
  ) {
    this.#hasEvents = hasEvents;
    this.#onEnd = onEnd;
  }

  /** Rows come in order of time; those of several fronts may be some seconds apart. */
  add(row: SearchRow): void {
    const key = `${row.index} ${row.user ?? ''} ${row.filter}`;
    const open = this.#open.get(key) ?? [];
    const search = { row, text: normalQuery(row.query) };
    const at = open.findIndex((other) => this.#isOneSession(other, search));
    const other = open[at];
    if (other === undefined) open.push(search);
    else if (row.at >= other.row.at) open[at] = search;
    if (open.length > OPEN_MAX) this.#end(open.splice(0, 1));
    this.#open.set(key, open);
    this.#rowsUntilPass -= 1;
    if (this.#rowsUntilPass === 0) this.#endBefore(row.at - WINDOW_MS);
  }

  /** Ends all sessions. */
  finish(): void {
    this.#endBefore(Number.POSITIVE_INFINITY);
  }

  #isOneSession(a: OpenSearch, b: OpenSearch): boolean {
    const [earlier, later] = a.row.at <= b.row.at ? [a, b] : [b, a];
    if (later.row.at - earlier.row.at > WINDOW_MS || earlier.text === '') return false;
    if (!later.text.startsWith(earlier.text) || this.#hasEvents(earlier.row)) return false;
    const growth = later.text.length - earlier.text.length;
    return later.row.user !== undefined || (growth > 0 && growth <= UNKNOWN_GROWTH_MAX);
  }

  #endBefore(ms: number): void {
    for (const [key, open] of this.#open) {
      const kept = open.filter(({ row }) => row.at >= ms);
      this.#end(open.filter(({ row }) => row.at < ms));
      if (kept.length === 0) this.#open.delete(key);
      else this.#open.set(key, kept);
    }
    // So that passes take a bounded time for each row, however many sessions stay open.
    this.#rowsUntilPass = Math.max(PASS_ROWS_MIN, this.#open.size);
  }

  #end(searches: readonly OpenSearch[]): void {
    for (const { row, text } of searches) this.#onEnd(row, text);
  }
}
