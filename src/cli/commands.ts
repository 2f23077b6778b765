/** All commands of the command line. */
import type { Command } from './command.ts';
import { backupCommand } from './commands/backup.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { judgeCommand } from './commands/judge.ts';
import { keysCommand } from './commands/keys.ts';
import { mcpCommand } from './commands/mcp.ts';
import { migrateCommand } from './commands/migrate.ts';
import { restoreCommand } from './commands/restore.ts';
import { searchCommand } from './commands/search.ts';
import { serveCommand } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';
import { verifyCommand } from './commands/verify.ts';

export const commands: readonly Command[] = [
  serveCommand,
  importCommand,
  searchCommand,
  exportCommand,
  migrateCommand,
  judgeCommand,
  backupCommand,
  restoreCommand,
  verifyCommand,
  doctorCommand,
  keysCommand,
  tokenCommand,
  mcpCommand,
  completionCommand(() => commands),
];
