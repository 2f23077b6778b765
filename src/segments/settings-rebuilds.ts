/** What a change of settings would have to build, told beforehand from the manifest alone. */
import { fileBytesOf, type SegmentEntry } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import { COMPONENT_NAMES, type ComponentName, planFiles } from './components.ts';
import { writtenBackEmbedders } from './vectors/embedder-settings.ts';
import { vectorsOf } from './vectors/vectors-component.ts';

/** Files of one component that segments lack under the settings. */
export interface SettingsRebuild {
  readonly component: ComponentName;
  /** How many segments lack some. */
  readonly segments: number;
  /** In these segments, dead ones included. */
  readonly documents: number;
  /** Of all files of these segments: what there is to read. */
  readonly bytes: number;
}

/** In the order of the components; empty when the settings hold as soon as they are stored. */
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
