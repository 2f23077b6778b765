/** JSON values: the check for objects, and a parser for text that may not be JSON. */

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value itself if it is an object, else an object without members. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** The value itself if it is a string. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value : null;

export const jsonBytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(value));

/** A byte order mark is kept, so that it is refused: it is not JSON. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The value of JSON from a file or another server; undefined if it is not JSON. Bodies of requests
 * have bounds and positions of errors: `http/json-body.ts`.
 */
export function parseJson(content: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof content === 'string' ? content : utf8.decode(content));
  } catch {
    return undefined;
  }
}
