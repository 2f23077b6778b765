/** Text forms of S3: query strings, pages of a list, errors. Pure. */
import type { ListedObject } from './object-store.ts';

interface ListPage {
  readonly objects: readonly ListedObject[];
  /** Empty = this page is the last one. */
  readonly continuation: string;
}

const CODE_LENGTH_MAX = 80;

/** Percent-encoded as the signature has it: everything but letters, digits and `-._~`. */
export function encodedQuery(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${percent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const percent = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** null if it is no whole page of a list: an answer of a proxy, or one without the place of the next page. */
export function listPage(xml: string): ListPage | null {
  if (!xml.includes('<ListBucketResult')) return null;
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => ({
    key: element(entry, 'Key') ?? '',
    bytes: Number(element(entry, 'Size') ?? 0),
  }));
  if (element(xml, 'IsTruncated') !== 'true') return { objects, continuation: '' };
  const continuation = element(xml, 'NextContinuationToken');
  return continuation ? { objects, continuation } : null;
}

/** `403 SignatureDoesNotMatch`, from the status and the body of an answer. */
export function storeError(status: number, body: Uint8Array): string {
  const code = status < 300 ? null : element(Buffer.from(body).toString(), 'Code');
  return code === null
    ? `answered ${status}`
    : `answered ${status} ${code.slice(0, CODE_LENGTH_MAX)}`;
}

/** The text of the first element of this name. */
export function element(xml: string, name: string): string | null {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? null : unescaped(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

const unescaped = (text: string): string =>
  text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (entity, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1);
    return String.fromCodePoint(Number(code));
  });
