/** Before `npm pack`: compiles, and writes the type declarations of the package's exports. */
import { join } from 'node:path';
import { ensureBuilt, ROOT, run } from './lib/fresh.mjs';

const EXPORTED = 'src/runtime/create-server.ts';

await ensureBuilt();
run(process.execPath, [
  join(ROOT, 'node_modules/typescript/bin/tsc'),
  EXPORTED,
  ...['--declaration', '--emitDeclarationOnly', '--outDir', 'dist/types'],
  ...[
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--strict',
    '--skipLibCheck',
  ],
]);
