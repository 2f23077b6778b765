/** What is printed once when the server is ready. */

export interface BannerFacts {
  readonly version: string;
  readonly role: string;
  /** Null when this process serves no HTTP. */
  readonly url: string | null;
  readonly dbPath: string;
  readonly configFile: string | null;
  readonly env: string;
  readonly queryThreads: number;
  readonly indexingThreads: number;
  readonly indexerAddress: string;
  readonly hasMasterKey: boolean;
  /** A key the user may take. */
  readonly suggestedKey: string;
}

export function banner(facts: BannerFacts): string {
  const rows: [string, string | null][] = [
    ['version', facts.version],
    ['listening on', facts.url],
    ['data folder', facts.dbPath],
    ['config file', facts.configFile],
    ['environment', facts.env],
    ['processes', facts.role === 'all' ? 'supervisor, front, indexer' : facts.role],
    ['query threads', facts.role === 'indexer' ? null : String(facts.queryThreads)],
    ['indexing threads', facts.role === 'front' ? null : String(facts.indexingThreads)],
    ['indexer socket', facts.role === 'all' ? null : facts.indexerAddress],
  ];
  const lines = rows.filter(([, value]) => value !== null).map(([label, value]) => `  ${label.padEnd(18)}${value}`);
  const warning =
    facts.hasMasterKey || facts.url === null
      ? []
      : [
          '',
          '  WARNING: no master key is set: everyone who reaches this address can read and write everything.',
          `  Set one, for instance: npm start -- --master-key=${facts.suggestedKey}`,
        ];
  return ['', '  Gannet', '', ...lines, ...warning, ''].join('\n');
}
