/** Clients and media types that are counted by name; any other text counts as `other`. */

const OTHER = 'other';

const PRODUCTS = `curl Wget Mozilla node undici axios got python-requests python-httpx aiohttp
 Go-http-client GuzzleHttp okhttp Apache-HttpClient Java Dart Ruby Faraday reqwest k6 PostmanRuntime
 insomnia gannet`.split(/\s+/);

/** Official clients and integrations, which send `<brand> <name> (v1.2.3)`. */
const OFFICIAL =
  /^Meilisearch (JavaScript|PHP|Python|Ruby|Go|Rust|Java|Dart|DotNET|Swift|Kotlin|Strapi|Symfony|Laravel|Rails|instant-meilisearch|docs-searchbar\.js|docs-scraper|Firebase|Gatsby|VuePress) \(v(\d{1,4}\.\d{1,4})/i;

const PRODUCT = /^([A-Za-z][A-Za-z-]{1,30})(?:\/v?(\d{1,4}(?:\.\d{1,4})?))?(?=[\s./;(]|$)/;

/** Product, and the first two numbers of its version. */
export function knownClient(header: string): string {
  const [, official, officialVersion] = OFFICIAL.exec(header) ?? [];
  if (official !== undefined) return `Meilisearch ${official} ${officialVersion}`;
  const [, product = '', version = ''] = PRODUCT.exec(header) ?? [];
  const name = PRODUCTS.find((known) => known.toLowerCase() === product.toLowerCase());
  return name === undefined ? OTHER : `${name} ${version}`.trim();
}

const MEDIA_TYPES = `application/json application/x-ndjson text/csv text/plain
 application/octet-stream application/x-www-form-urlencoded multipart/form-data`.split(/\s+/);

/** @param header value of `Content-Type` */
export function knownMediaType(header: string): string {
  const [mediaType = ''] = header.split(';');
  const name = mediaType.trim().toLowerCase();
  return MEDIA_TYPES.includes(name) ? name : OTHER;
}
