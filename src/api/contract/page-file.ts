/** Files for browsers: content types, caching and the content security policy. */
import type { BytesAnswer, EmptyAnswer } from './answer.ts';

export interface PageFile {
  readonly bytes: Uint8Array;
  /** Header value; changes with the bytes. */
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
  webp: 'image/webp',
};

/** Where pages load images from, as sources of the content security policy. */
const IMAGE_SOURCES = {
  own: "'self' data:",
  /** Also images that documents name; a page loads them only after its user has allowed it. */
  documents: "'self' data: https:",
} as const;

/** Pages may run and load only their own files, and send requests only to this server. */
const policyOf = (images: keyof typeof IMAGE_SOURCES): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src ${IMAGE_SOURCES[images]}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const HEADERS = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cache-Control', 'no-cache'],
];

/** True if the header contains the tag; proxies may send a list of tags. */
const isKnown = (etag: string, ifNoneMatch: string): boolean =>
  ifNoneMatch === '*' || ifNoneMatch.split(',').some((known) => known.trim() === etag);

/**
 * The file, 304 if the client has it, 404 if it does not exist.
 * @param ifNoneMatch header value
 * @param images whose images the page may load
 */
export function pageFileAnswer(
  files: PageFiles | null,
  name: string,
  ifNoneMatch: string,
  images: keyof typeof IMAGE_SOURCES = 'own',
): BytesAnswer | EmptyAnswer {
  const file = files?.get(name);
  if (file === undefined) return { status: 404 };
  const policy = ['Content-Security-Policy', policyOf(images)];
  const headers = [...policy, ...HEADERS, 'ETag', file.etag];
  if (isKnown(file.etag, ifNoneMatch)) return { status: NOT_MODIFIED, headers };
  const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (contentType === undefined) throw new Error(`a page has a file ${name}`);
  return { status: 200, bytes: file.bytes, contentType, headers };
}
