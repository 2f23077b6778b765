/**
 * Secrets in the settings of a provider (`apiKey`, `headers`, and a password in `url`): masked in
 * answers, kept by an update that repeats the masked form, and dropped when the URL leads to
 * another server.
 */
import { isObject, type Json, objectOf } from '../core/json.ts';
import { maskedHeader, maskedUrl, maskSecret } from '../core/mask-secret.ts';
import { droppedSecret, isOtherOrigin } from './secret-origin.ts';

interface ProviderSecrets {
  readonly url?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The member as answers show it. */
export function maskedMember(member: string, value: unknown): unknown {
  if (member === 'apiKey' && typeof value === 'string') return maskSecret(value);
  if (member === 'url' && typeof value === 'string') return maskedUrl(value);
  if (member !== 'headers' || !isObject(value)) return value;
  const headers = Object.entries(value).map(([name, text]) => [
    name,
    typeof text === 'string' ? maskedHeader(name, text) : text,
  ]);
  return Object.fromEntries(headers);
}

/** The member to store: a masked secret in the update keeps the stored secret. */
export function unmaskedMember(member: string, before: unknown, value: unknown): unknown {
  if (member === 'apiKey')
    return typeof before === 'string' && value === maskSecret(before) ? before : value;
  if (member === 'url')
    return typeof before === 'string' && value === maskedUrl(before) ? before : value;
  if (member !== 'headers') return value;
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, string>>).map(([name, text]) => {
      const stored = isObject(before) ? before[name] : undefined;
      const isShown = typeof stored === 'string' && text === maskedHeader(name, stored);
      return [name, isShown ? stored : text];
    }),
  );
}

/**
 * Puts the members of an update into stored settings; null resets to the default.
 * @param mergedMember the value to store for a member that is not null
 */
export function applyMembers(
  next: Record<string, unknown>,
  update: Json,
  defaults: Json,
  mergedMember = unmaskedMember,
): void {
  for (const [member, value] of Object.entries(update)) {
    if (member === 'source') continue;
    if (value !== null) next[member] = mergedMember(member, next[member], value);
    else if (defaults[member] !== undefined) next[member] = defaults[member];
    else delete next[member];
  }
}

interface ProviderMerge {
  /** Of the provider, for example `embedders.default`. */
  readonly path: string;
  readonly stored: ProviderSecrets;
  readonly update: Json;
  /** The merged settings; lose the secrets. */
  readonly next: Record<string, unknown>;
  /** Receives one sentence per dropped secret. */
  readonly warnings: string[];
}

/** Secrets that the update does not contain stay with the origin for which they were given. */
export function dropMovedSecrets({ path, stored, update, next, warnings }: ProviderMerge): void {
  if (!isOtherOrigin(stored.url, next['url'] as string | undefined)) return;
  const { apiKey, headers = {} } = stored;
  if (apiKey !== undefined && next['apiKey'] === apiKey && update['apiKey'] !== apiKey) {
    delete next['apiKey'];
    warnings.push(droppedSecret(`${path}.apiKey`));
  }
  const sent = objectOf(update['headers']);
  const kept = isObject(next['headers']) ? Object.entries(next['headers']) : [];
  const moved = kept.filter(([name, value]) => value !== headers[name] || sent[name] === value);
  if (moved.length === kept.length) return;
  if (moved.length === 0) delete next['headers'];
  else next['headers'] = Object.fromEntries(moved);
  const lost = kept.filter((header) => !moved.includes(header));
  warnings.push(...lost.map(([name]) => droppedSecret(`${path}.headers.${name}`)));
}
