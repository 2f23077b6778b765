/** `npm run build`: installs what is missing and compiles what changed into dist. */
import { ensureBuilt, ensureInstalled } from './lib/fresh.mjs';

ensureInstalled();
await ensureBuilt();
