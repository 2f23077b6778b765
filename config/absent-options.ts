/**
 * Options of Meilisearch and of older releases that Gannet lacks, each with an alternative. They
 * are refused: an ignored option would hide that it has no effect.
 */

const SNAPSHOTS = 'snapshots are written to `--snapshot-dir`; copy them to S3 with another tool';
const NOT_NEEDED = 'Gannet has only one implementation; remove the option';

/** By flag; environment variables and keys of config.toml are derived from the flag. */
const ABSENT: Readonly<Record<string, string>> = {
  'experimental-no-edition-2024-for-settings': NOT_NEEDED,
  'experimental-no-edition-2024-for-dumps': NOT_NEEDED,
  'experimental-no-snapshot-compaction': 'snapshots are never compacted; remove the option',
  'serving-threads':
    'it was removed: a front serves with one event loop and `--query-threads` threads; remove the option',
  's3-bucket-url': SNAPSHOTS,
  's3-bucket-region': SNAPSHOTS,
  's3-bucket-name': SNAPSHOTS,
  's3-snapshot-prefix': SNAPSHOTS,
  's3-access-key': SNAPSHOTS,
  's3-secret-key': SNAPSHOTS,
  'experimental-s3-role-arn': SNAPSHOTS,
  'experimental-s3-web-identity-token-file': SNAPSHOTS,
  'experimental-s3-max-in-flight-parts': SNAPSHOTS,
  'experimental-s3-compression-level': SNAPSHOTS,
  'experimental-s3-signature-duration-seconds': SNAPSHOTS,
  'experimental-s3-multipart-part-size': SNAPSHOTS,
};

const OWN_PREFIX = 'SVC_';

const reasons = new Map(Object.entries(ABSENT));

const asFlag = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/**
 * Why the option of this flag or config.toml key is not supported; null when the option is unknown.
 */
export const whyAbsent = (name: string): string | null => reasons.get(asFlag(name)) ?? null;

/** The same for an environment variable with the prefix of this server. */
export const whyVariableAbsent = (name: string): string | null =>
  name.startsWith(OWN_PREFIX) ? whyAbsent(name.slice(OWN_PREFIX.length)) : null;
