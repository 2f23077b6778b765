/** `gannet keys`: lists, creates and deletes API keys. */
import { didYouMean } from '../../../config/nearest.ts';
import type { ApiKey } from '../../model/api-key.ts';
import { type Command, type CommandCall, listOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

type ShownKey = ApiKey & { readonly key: string };

const ACTIONS: Readonly<Record<string, (call: CommandCall) => Promise<void>>> = {
  async list({ instance, terminal, options }) {
    const areShown = options['values'] === true;
    for (const key of await instance.all<ShownKey>('/keys')) {
      const until = key.expiresAt ?? 'never expires';
      const may = `${key.actions.join(',')} on ${key.indexes.join(',')}`;
      terminal.print(`${key.uid}  ${key.name ?? ''}  ${may}  ${until}`);
      if (areShown) terminal.print(`  ${key.key}`);
      terminal.json(key);
    }
    if (!areShown && !terminal.isJson)
      terminal.note('`--values` also shows the keys themselves, which requests present');
  },

  async create({ instance, terminal, options }) {
    const body = {
      name: textOption(options, 'name'),
      actions: listOption(options, 'actions') ?? ['search'],
      indexes: listOption(options, 'indexes') ?? ['*'],
      expiresAt: textOption(options, 'expires-at'),
    };
    const key = await instance.request<ShownKey>('POST', '/keys', { body });
    terminal.print(key.key);
    terminal.json(key);
  },

  async delete({ instance, terminal, arguments: [, key] }) {
    if (key === undefined) throw new CommandFailure('usage: gannet keys delete UID', EXIT.usage);
    await instance.request('DELETE', `/keys/${encodeURIComponent(key)}`);
    terminal.print(`${key} deleted`);
    terminal.json({ deleted: key });
  },
};

export const keysCommand: Command = {
  name: 'keys',
  summary: 'Lists, creates and deletes API keys',
  usage: `[${Object.keys(ACTIONS).join('|')}] [UID]`,
  arguments: [0, 2],
  asksServer: true,
  options: {
    values: 'list: also the keys themselves, which requests present',
    'name NAME': 'name of the new key',
    'actions LIST': 'actions, comma-separated (default: search)',
    'indexes LIST': 'index names or patterns, comma-separated (default: *)',
    'expires-at TIME': 'expiration time (default: never)',
  },
  run(call) {
    const [action = 'list'] = call.arguments;
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (run === undefined)
      throw new CommandFailure(
        `unknown action of \`gannet keys\`: \`${action}\`${didYouMean(action, Object.keys(ACTIONS))}`,
        EXIT.usage,
      );
    return run(call);
  },
};
