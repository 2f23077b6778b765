/**
 * Options of other servers of this API and of older releases that this one does not have, each with
 * what to do instead. They are refused: to ignore one would hide that it has no effect.
 */

const SNAPSHOTS =
  'snapshots are written to `--snapshot-dir`; a tool of the storage brings them there';
const NOT_NEEDED = 'there is no older way of doing it here; leave it out';

/** By flag; variables and keys of config.toml follow from it. */
const ABSENT: Readonly<Record<string, string>> = {
  'experimental-no-edition-2024-for-settings': NOT_NEEDED,
  'experimental-no-edition-2024-for-dumps': NOT_NEEDED,
  'experimental-no-snapshot-compaction': 'snapshots are never compacted; leave it out',
  'serving-threads':
    'it was removed; a front serves with one event loop and `--query-threads` threads, leave it out',
  'experimental-replication-parameters':
    'tasks get their numbers here alone; several fronts share one indexer by `--indexer-addr`',
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

/** Why the option of this flag or key of config.toml is not there; null when it is unknown. */
export const whyAbsent = (name: string): string | null => reasons.get(asFlag(name)) ?? null;

/** The same for a variable of the environment, with this server's prefix. */
export const whyVariableAbsent = (name: string): string | null =>
  name.startsWith(OWN_PREFIX) ? whyAbsent(name.slice(OWN_PREFIX.length)) : null;
