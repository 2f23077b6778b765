/** Predicts from the manifest which files a settings change would build. */
import { fileBytesOf, type SegmentEntry } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import { COMPONENT_NAMES, type ComponentName, planFiles } from './components.ts';
import { writtenBackEmbedders } from './vectors/stored-embedders.ts';
import { vectorsOf } from './vectors/vectors-component.ts';

/** Missing files of one component under the new settings. */
export interface SettingsRebuild {
  readonly component: ComponentName;
  /** Number of segments without these files. */
  readonly segments: number;
  /** Documents in these segments, including deleted ones. */
  readonly documents: number;
  /** Bytes of all files of these segments, which the rebuild reads. */
  readonly bytes: number;
}

/** In the order of the components; empty if the change builds nothing. */
export function settingsRebuilds(
  segments: readonly SegmentEntry[],
  before: Settings,
  after: Settings,
): SettingsRebuild[] {
  const writtenBack = writtenBackEmbedders(before, after);
  const lacking = segments.map(({ files }) => {
    const names = planFiles(files, after).build.map(({ component }) => component);
    const isRewritten = vectorsOf(files, writtenBack).length > 0;
    return new Set<ComponentName>([...names, ...(isRewritten ? ['documents' as const] : [])]);
  });
  return COMPONENT_NAMES.flatMap((component) => {
    const own = segments.filter((_, i) => lacking[i]?.has(component));
    if (own.length === 0) return [];
    const documents = own.reduce((sum, { documentCount }) => sum + documentCount, 0);
    const bytes = own.reduce((sum, segment) => sum + fileBytesOf(segment), 0);
    return [{ component, segments: own.length, documents, bytes }];
  });
}
