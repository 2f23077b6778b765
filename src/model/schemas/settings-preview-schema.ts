/** Schema of the settings preview. */
import type { Static } from 'typebox';
import { closed, optional } from './schema.ts';
import { SearchBody } from './search-schema.ts';
import { SettingsPatchBody } from './settings-schema.ts';

export const SettingsPreviewBody = closed({
  settings: SettingsPatchBody,
  search: optional(SearchBody, { code: 'bad_request', expects: 'the body of a search' }),
});
export type SettingsPreviewBody = Static<typeof SettingsPreviewBody>;
