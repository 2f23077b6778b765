/** Names of clients and media types that are sent; all others are `other`. */

const KNOWN = new Map(
  `curl Wget Mozilla node undici axios got python-requests python-httpx aiohttp Go-http-client
   GuzzleHttp okhttp Apache-HttpClient Faraday reqwest k6 PostmanRuntime insomnia gannet JavaScript
   PHP Python Ruby Go Rust Java Dart DotNET Swift Kotlin Strapi Symfony Laravel Rails Firebase Gatsby
   instant-meilisearch docs-searchbar.js docs-scraper VuePress application/json application/x-ndjson
   text/csv text/plain application/octet-stream application/x-www-form-urlencoded multipart/form-data`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);
const OTHER = 'other';

/** Name and version; official clients send `<brand> <name> (v1.2.3)`. */
const CLIENT = /^(Meilisearch )?([a-z][\w.-]*)(?:(?: \(|\/)v?(\d{1,4}(?:\.\d{1,4})?))?/i;

/** Product of a header that names the client, and the first two numbers of its version. */
export function clientOf(header: string): string {
  const [, brand = '', product = '', version = ''] = CLIENT.exec(header) ?? [];
  const name = KNOWN.get(product.toLowerCase());
  return name === undefined ? OTHER : `${brand}${name} ${version}`.trim();
}

export const mediaTypeOf = (contentType: string): string =>
  KNOWN.get(/[^\s;]*/.exec(contentType.toLowerCase())?.[0] ?? '') ?? OTHER;
