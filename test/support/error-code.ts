/** Error codes as the official client reports them. */
import { MeilisearchApiError } from 'meilisearch';

/** The code that the server refused the call with, or `accepted`. */
export async function codeOf(call: PromiseLike<unknown>): Promise<string | undefined> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MeilisearchApiError) return error.cause?.code;
    throw error;
  }
  return 'accepted';
}
