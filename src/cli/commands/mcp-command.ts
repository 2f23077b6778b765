/** `gannet mcp`: the server's API as MCP tools of an assistant, over standard input and output. */
import { packageVersion } from '../../../config/version.ts';
import type { Command } from '../command.ts';
import { ownEntries } from '../own-entries.ts';

interface McpEntry {
  serveMcp(options: {
    readonly url: string;
    readonly key: string | null;
    readonly version: string;
    readonly mayWrite: boolean;
  }): Promise<void>;
}

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Offers search, facets, documents and statistics to an assistant (MCP over stdio)',
  usage: '[--allow-writes]',
  arguments: [0, 0],
  asksServer: true,
  options: { 'allow-writes': 'includes tools that add and delete documents' },
  async run({ options, instance }) {
    const { serveMcp } = (await import(ownEntries.mcp.href)) as McpEntry;
    const { url, key } = instance;
    const mayWrite = options['allow-writes'] === true;
    await serveMcp({ url, key, mayWrite, version: packageVersion() });
  },
};
