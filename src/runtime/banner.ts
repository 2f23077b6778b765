/** The text printed once when the server is ready. */

export interface BannerFacts {
  readonly version: string;
  readonly role: string;
  /** null when this process serves no HTTP. */
  readonly url: string | null;
  readonly dbPath: string;
  readonly configFile: string | null;
  readonly env: string;
  readonly queryThreads: number;
  readonly indexingThreads: number;
  readonly indexerAddress: string;
  /** Length of the master key, null without one. */
  readonly masterKeyBytes: number | null;
  /** A random key that the user may use. */
  readonly suggestedKey: string;
}

/** Bytes from which on a master key cannot be guessed; required in production. */
const GOOD_KEY_BYTES = 16;

function aboutKeys({ masterKeyBytes, suggestedKey, url }: BannerFacts): string[] {
  if (url === null) return [];
  if (masterKeyBytes === null) {
    return [
      '',
      '  WARNING: no master key is set: everyone who reaches this address can read and write everything.',
      `  Set one in the environment, and start again: export SVC_MASTER_KEY=${suggestedKey}`,
    ];
  }
  const weakness = [
    '',
    `  WARNING: the master key is short, so it can be guessed; production needs at least ${GOOD_KEY_BYTES} bytes.`,
    `  For instance: ${suggestedKey}`,
  ];
  return [
    ...(masterKeyBytes < GOOD_KEY_BYTES ? weakness : []),
    '',
    '  Give applications an API key instead of the master key. List the API keys:',
    `  curl ${url}/keys -H 'Authorization: Bearer MASTER_KEY'`,
  ];
}

/** The banner as one line of JSON for log processing; without a suggested key. */
export function bannerLine({ suggestedKey: _, ...facts }: BannerFacts, time: string): string {
  return JSON.stringify({ level: 'INFO', time, name: 'gannet', ...facts, msg: 'serving' });
}

export function banner(facts: BannerFacts): string {
  const isAlone = facts.role === 'front' || facts.role === 'indexer';
  const rows: [string, string | null][] = [
    ['version', facts.version],
    ['listening on', facts.url],
    ['data folder', facts.dbPath],
    ['config file', facts.configFile],
    ['environment', facts.env],
    ['processes', isAlone ? facts.role : 'supervisor, front, indexer'],
    ['query threads', facts.role === 'indexer' ? null : String(facts.queryThreads)],
    ['indexing threads', facts.role === 'front' ? null : String(facts.indexingThreads)],
    ['indexer socket', isAlone ? facts.indexerAddress : null],
  ];
  const lines = rows
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `  ${label.padEnd(18)}${value}`);
  return ['', '  Gannet', '', ...lines, ...aboutKeys(facts), ''].join('\n');
}
