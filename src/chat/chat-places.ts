/** How many chats may be under way at once: each holds a conversation and a connection. */
import { ApiError } from '../core/errors.ts';

export class ChatPlaces {
  readonly #count: number;
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** @returns gives the place back; legal more than once. Throws `too_many_search_requests` */
  take(): () => void {
    if (this.#taken >= this.#count)
      throw new ApiError(
        'too_many_search_requests',
        `${this.#count} chats are under way here, which is as many as there may be. Please retry later.`,
      );
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }
}
