/** How seldom V8 collects the whole heap of the threads of this process. */
import { setFlagsFromString } from 'node:v8';

/**
 * After each collection V8 lets a heap grow by as much as it marked quickly, on a busy machine by 9 MB,
 * and counts arrays outside of the heap as growth. Threads that search keep and drop many of these. Of
 * them alone V8 stands 64 MB by itself; a heap with full kept results has 30 beside them.
 */
const UNCOLLECTED_MB = 96;

/** Of threads that begin after this. */
export function collectWholeHeapsSeldom(): void {
  setFlagsFromString(`--initial-old-space-size=${UNCOLLECTED_MB}`);
}
