/** Files that browsers load from this server: their types, and what pages made of them may do. */
import type { BytesAnswer, EmptyAnswer } from './answer.ts';

export interface PageFile {
  readonly bytes: Uint8Array;
  /** Value of the header, which changes with the bytes. */
  readonly etag: string;
}

export interface PageFiles {
  get(name: string): PageFile | undefined;
}

const NOT_MODIFIED = 304;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
};

/** Nothing but the page's own files runs or is loaded, and it asks nobody but this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = [
  ...['Content-Security-Policy', POLICY],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cache-Control', 'no-cache'],
];

/** True when the header names the tag; browsers send what they have, proxies may send a list. */
const isKnown = (etag: string, ifNoneMatch: string): boolean =>
  ifNoneMatch === '*' || ifNoneMatch.split(',').some((known) => known.trim() === etag);

/** The file, or that the client has it; 404 when there is none. @param ifNoneMatch value of the header */
export function pageFileAnswer(
  files: PageFiles | null,
  name: string,
  ifNoneMatch: string,
): BytesAnswer | EmptyAnswer {
  const file = files?.get(name);
  if (file === undefined) return { status: 404 };
  const headers = [...HEADERS, 'ETag', file.etag];
  if (isKnown(file.etag, ifNoneMatch)) return { status: NOT_MODIFIED, headers };
  const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (contentType === undefined) throw new Error(`a page has a file ${name}`);
  return { status: 200, bytes: file.bytes, contentType, headers };
}
