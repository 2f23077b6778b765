/** `gannet mcp`: the server's API as MCP tools of an assistant, over standard input and output. */
import { packageVersion } from '../../../config/version.ts';
import type { McpOptions } from '../../mcp/mcp-server.ts';
import type { ToolAnswer, ToolTarget } from '../../mcp/tools.ts';
import type { Command } from '../command.ts';
import { CommandFailure } from '../command-failure.ts';
import { AnswerTooLarge, type Instance } from '../instance-client.ts';
import { ownEntries } from '../own-entries.ts';

interface McpEntry {
  serveMcp(options: McpOptions): Promise<void>;
}

async function orRefusal(text: Promise<string>): Promise<ToolAnswer> {
  try {
    return { text: await text };
  } catch (error) {
    if (error instanceof AnswerTooLarge) return { bytesMax: error.bytesMax };
    if (!(error instanceof CommandFailure)) throw error;
    const { message, code } = error;
    return { refusal: { message, code } };
  }
}

const targetOf = (instance: Instance): ToolTarget => ({
  ask: ({ method, path, body }, answerBytesMax) =>
    orRefusal(instance.text(method, path, { body, answerBytesMax })),
  ended: (taskUid) => orRefusal(instance.succeeded(taskUid).then((task) => JSON.stringify(task))),
});

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Offers search, facets, documents and statistics to an assistant (MCP over stdio)',
  usage: '[--allow-writes]',
  arguments: [0, 0],
  asksServer: true,
  options: { 'allow-writes': 'includes tools that add and delete documents' },
  async run({ options, instance }) {
    const { serveMcp } = (await import(ownEntries.mcp.href)) as McpEntry;
    const mayWrite = options['allow-writes'] === true;
    await serveMcp({ target: targetOf(instance), mayWrite, version: packageVersion() });
  },
};
