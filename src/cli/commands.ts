/** The commands of the command line. Each is loaded when it is named: together they are ten times as large. */
import type { Command } from './command.ts';

const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve-command.ts')).serveCommand,
  import: async () => (await import('./commands/import-command.ts')).importCommand,
  search: async () => (await import('./commands/search-command.ts')).searchCommand,
  export: async () => (await import('./commands/export-command.ts')).exportCommand,
  migrate: async () => (await import('./commands/migrate-command.ts')).migrateCommand,
  sync: async () => (await import('./commands/sync-command.ts')).syncCommand,
  judge: async () => (await import('./commands/judge-command.ts')).judgeCommand,
  compare: async () => (await import('./commands/compare-command.ts')).compareCommand,
  suggest: async () => (await import('./commands/suggest-command.ts')).suggestCommand,
  backup: async () => (await import('./commands/backup-command.ts')).backupCommand,
  restore: async () => (await import('./commands/restore-command.ts')).restoreCommand,
  move: async () => (await import('./commands/move-command.ts')).moveCommand,
  verify: async () => (await import('./commands/verify-command.ts')).verifyCommand,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  keys: async () => (await import('./commands/keys-command.ts')).keysCommand,
  audit: async () => (await import('./commands/audit-command.ts')).auditCommand,
  token: async () => (await import('./commands/token-command.ts')).tokenCommand,
  mcp: async () => (await import('./commands/mcp-command.ts')).mcpCommand,
  completion: async () =>
    (await import('./commands/completion-command.ts')).completionCommand(allCommands),
};

export const allCommands = (): Promise<readonly Command[]> =>
  Promise.all(Object.values(LOADERS).map((load) => load()));

/** The command of this name, or all commands if there is none. */
export async function commandsNamed(name: string): Promise<readonly Command[]> {
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  return load === undefined ? allCommands() : [await load()];
}
