/** A parameter of a search, as the documentation explains it. */
import type { Json } from '../../core/json.ts';

export interface SearchParameter {
  /** One sentence. */
  readonly means: string;
  /** As JSON; null = none. */
  readonly default: string | null;
  readonly limits?: string;
  /** Body of a search of examples/films.json that shows the parameter. */
  readonly request: Json;
  /** Members of its answer; absent = the request needs more than the films. */
  readonly answer?: Json;
  /** A common mistake, and what to do. */
  readonly mistake: string;
}
