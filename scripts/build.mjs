/** `npm run build`: installs missing packages and compiles changed sources into dist. */
import { ensureBuilt, ensureInstalled } from './lib/fresh.mjs';

ensureInstalled();
await ensureBuilt();
