/** Limits concurrent chats, because each holds a conversation and a connection. */
import { ApiError } from '../core/errors.ts';

export class ChatPlaces {
  readonly #count: number;
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * @returns a function that releases the place; may be called several times. Throws
   * `too_many_search_requests`
   */
  take(): () => void {
    if (this.#taken >= this.#count)
      throw new ApiError(
        'too_many_search_requests',
        `${this.#count} chats are running, which is the maximum. Please retry later.`,
      );
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }
}
