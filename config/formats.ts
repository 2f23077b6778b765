/** Formats of option values: parsing and validation. */
import { isIPv4, isIPv6 } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import convict from 'convict';

/** Embedding failures that store the document without vectors instead of failing the task. */
export const EMBEDDER_FAILURE_MODES = [
  'ignore_document_template_failures',
  'ignore_embedder_failures',
] as const;
export type EmbedderFailureMode = (typeof EMBEDDER_FAILURE_MODES)[number];

/** Least severe level last. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;

export const cores = (): number => Math.max(1, availableParallelism());

/** Bytes of memory available to this process: the RAM, or the limit of the container. */
export function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit !== undefined && limit > 0 && limit < totalmem() ? limit : totalmem();
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};

/** `100 MB`, `24MiB`, `1.5 GiB` or plain bytes → bytes; NaN if the text is not a size. */
export function parseSize(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = UNITS[(match?.[2] ?? '').toLowerCase()];
  return match === null || unit === undefined ? Number.NaN : Math.floor(Number(match[1]) * unit);
}

const wholeNumber = (text: string): number =>
  /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;

function refuseUnless(accepted: boolean, allowed: string): void {
  if (!accepted) throw new Error(`must be ${allowed}`);
}

const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least;

/** An invalid value is returned unchanged, so that the error message can show it. */
const orText = (value: number, text: string): number | string =>
  Number.isNaN(value) ? text : value;

const DAY_SECONDS = 86_400;

/** Seconds; `true` is a day, `false` disables. */
function intervalOf(text: string): number | string | null {
  const form = text.toLowerCase();
  if (form === 'true') return DAY_SECONDS;
  return form === 'false' ? null : orText(wholeNumber(text), text);
}

/** Bytes; `true` is half of the memory, `false` is 0. */
function shareOf(text: string): number | string {
  const form = text.toLowerCase();
  if (form === 'true') return Math.floor(availableMemory() / 2);
  return form === 'false' ? 0 : orText(parseSize(text), text);
}

convict.addFormats({
  text: {
    validate: (value: unknown) =>
      refuseUnless(typeof value === 'string' && value !== '', 'a non-empty string'),
  },
  size: {
    validate: (value: unknown) =>
      refuseUnless(isWhole(value, 0), 'a size such as `100 MB`, `24MiB` or bytes'),
    coerce: (text: string) => orText(parseSize(text), text),
  },
  share: {
    validate: (value: unknown) =>
      refuseUnless(
        isWhole(value, 0),
        'a size such as `100 MB`, `24MiB` or bytes, `true` or `false`',
      ),
    coerce: shareOf,
  },
  count: {
    validate: (value: unknown) => refuseUnless(isWhole(value, 0), 'a whole number, 0 or more'),
    coerce: (text: string) => orText(wholeNumber(text), text),
  },
  positive: {
    validate: (value: unknown) => refuseUnless(isWhole(value, 1), 'a whole number, 1 or more'),
    coerce: (text: string) => orText(wholeNumber(text), text),
  },
  threads: {
    validate: (value: unknown) =>
      refuseUnless(isWhole(value, 1), 'a whole number, 1 or more, or `unlimited`'),
    coerce: (text: string) =>
      text.trim().toLowerCase() === 'unlimited' ? cores() : orText(wholeNumber(text), text),
  },
  flag: {
    validate: (value: unknown) => refuseUnless(typeof value === 'boolean', '`true` or `false`'),
    coerce: (text: string) =>
      ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()] ?? text,
  },
  interval: {
    validate: (value: unknown) =>
      refuseUnless(
        value === null || isWhole(value, 1),
        'a whole number of seconds, `true` or `false`',
      ),
    coerce: intervalOf,
  },
  address: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' && parseAddress(value) !== null,
        '`host:port`, such as `localhost:7700`',
      ),
  },
  httpUrl: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' &&
          URL.canParse(value) &&
          /^https?:$/.test(new URL(value).protocol),
        'an absolute `http:` or `https:` URL',
      ),
  },
  word: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
        '1 to 40 letters, digits, `.`, `-` or `_`',
      ),
  },
  headerValue: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' && /^[\t -~]+$/.test(value),
        'visible ASCII characters and spaces',
      ),
  },
  signingSecret: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' && /^[!-~]{16,256}$/.test(value),
        '16 to 256 visible ASCII characters',
      ),
  },
  networks: {
    validate: (value: unknown) =>
      refuseUnless(
        Array.isArray(value) && value.every(isNetwork),
        'networks such as `10.0.0.0/8` or `::1`, separated by commas, or `any`',
      ),
    coerce: (text: string) => text.split(',').map((network) => network.trim()),
  },
  failureModes: {
    validate: (value: unknown) =>
      refuseUnless(
        Array.isArray(value) &&
          value.every((mode) => (EMBEDDER_FAILURE_MODES as readonly unknown[]).includes(mode)),
        `any of ${EMBEDDER_FAILURE_MODES.join(', ')}, separated by commas`,
      ),
    coerce: (text: string) => text.split(',').map((mode) => mode.trim()),
  },
  logLevel: {
    validate: (value: unknown) =>
      refuseUnless(
        typeof value === 'string' && LOG_LEVEL_LIST.test(value),
        `one of ${LOG_LEVELS.join(', ')}, also by part: \`info,http=debug\``,
      ),
    coerce: (text: string) => (LOG_LEVEL.test(text) ? text.toUpperCase() : text),
  },
  logsMode: {
    validate: (value: unknown) =>
      refuseUnless(value === 'HUMAN' || value === 'JSON', 'HUMAN or JSON'),
    coerce: (text: string) => text.toUpperCase(),
  },
});

/** `any`, an address, or an address with a prefix length. */
function isNetwork(value: unknown): boolean {
  if (value === 'any') return true;
  const [address = '', prefix, ...rest] = String(value).split('/');
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return bits > 0 && rest.length === 0 && (prefix === undefined || wholeNumber(prefix) <= bits);
}

const LOG_LEVEL = new RegExp(`^(${LOG_LEVELS.join('|')})$`, 'i');
const LOG_LEVEL_ITEM = `([\\w:.-]+=)?(${LOG_LEVELS.join('|')})`;
const LOG_LEVEL_LIST = new RegExp(`^\\s*${LOG_LEVEL_ITEM}(\\s*,\\s*${LOG_LEVEL_ITEM})*\\s*$`, 'i');

/** `host:port`, `[v6]:port` or `:port` → parts; null for any other text. */
export function parseAddress(text: string): { host: string; port: number } | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/\s]*)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return null;
  return { host: match[1] ?? (match[2] === '' ? '0.0.0.0' : (match[2] ?? '')), port };
}
