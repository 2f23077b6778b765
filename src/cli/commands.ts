/** All commands of the command line. */
import type { Command } from './command.ts';
import { auditCommand } from './commands/audit-command.ts';
import { backupCommand } from './commands/backup-command.ts';
import { compareCommand } from './commands/compare-command.ts';
import { completionCommand } from './commands/completion-command.ts';
import { doctorCommand } from './commands/doctor-command.ts';
import { exportCommand } from './commands/export-command.ts';
import { importCommand } from './commands/import-command.ts';
import { judgeCommand } from './commands/judge-command.ts';
import { keysCommand } from './commands/keys-command.ts';
import { mcpCommand } from './commands/mcp-command.ts';
import { migrateCommand } from './commands/migrate-command.ts';
import { moveCommand } from './commands/move-command.ts';
import { restoreCommand } from './commands/restore-command.ts';
import { searchCommand } from './commands/search-command.ts';
import { serveCommand } from './commands/serve-command.ts';
import { suggestCommand } from './commands/suggest-command.ts';
import { syncCommand } from './commands/sync-command.ts';
import { tokenCommand } from './commands/token-command.ts';
import { verifyCommand } from './commands/verify-command.ts';

export const commands: readonly Command[] = [
  serveCommand,
  importCommand,
  searchCommand,
  exportCommand,
  migrateCommand,
  syncCommand,
  judgeCommand,
  compareCommand,
  suggestCommand,
  backupCommand,
  restoreCommand,
  moveCommand,
  verifyCommand,
  doctorCommand,
  keysCommand,
  auditCommand,
  tokenCommand,
  mcpCommand,
  completionCommand(() => commands),
];
