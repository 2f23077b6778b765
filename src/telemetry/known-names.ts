/** Clients and media types by names that this server knows: of other texts only that they came. */

const OTHER = 'other';

/** Products that call servers, as their headers begin. */
const CLIENTS = [
  'curl',
  'Wget',
  'Mozilla',
  'node',
  'undici',
  'axios',
  'got',
  'python-requests',
  'python-httpx',
  'aiohttp',
  'Go-http-client',
  'GuzzleHttp',
  'okhttp',
  'Apache-HttpClient',
  'Java',
  'Dart',
  'Ruby',
  'Faraday',
  'reqwest',
  'k6',
  'PostmanRuntime',
  'insomnia',
  'gannet',
];

/** Languages and frameworks of the official clients, which write `<brand> <name> (v1.2.3)`. */
const OFFICIAL =
  /^Meilisearch (JavaScript|PHP|Python|Ruby|Go|Rust|Java|Dart|DotNET|Swift|Kotlin|Strapi|Symfony|Laravel|Rails|instant-meilisearch|docs-searchbar\.js|docs-scraper|Firebase|Gatsby|VuePress) \(v(\d{1,4}\.\d{1,4})/i;

const PRODUCT = /^([A-Za-z][A-Za-z-]{1,30})(?:\/v?(\d{1,4}(?:\.\d{1,4})?))?(?=[\s./;(]|$)/;

const clientByProduct = new Map(CLIENTS.map((name) => [name.toLowerCase(), name]));

/** Product and the first two numbers of its version. */
export function knownClient(header: string): string {
  const [, official, officialVersion] = OFFICIAL.exec(header) ?? [];
  if (official !== undefined) return `Meilisearch ${official} ${officialVersion}`;
  const [, product = '', version] = PRODUCT.exec(header) ?? [];
  const name = clientByProduct.get(product.toLowerCase());
  if (name === undefined) return OTHER;
  return version === undefined ? name : `${name} ${version}`;
}

const MEDIA_TYPES = new Set([
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/** @param header value of `Content-Type` */
export function knownMediaType(header: string): string {
  const [mediaType = ''] = header.split(';');
  const name = mediaType.trim().toLowerCase();
  return MEDIA_TYPES.has(name) ? name : OTHER;
}
