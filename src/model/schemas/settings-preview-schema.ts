/** Schema of the settings preview. */
import Type, { type Static } from 'typebox';
import { closed, nullable } from './schema.ts';
import { SearchBody } from './search-schema.ts';
import { SettingsPatchBody } from './settings-schema.ts';

export const SettingsPreviewBody = closed({
  settings: SettingsPatchBody,
  search: Type.Optional(nullable(SearchBody, 'bad_request', 'the body of a search')),
});
export type SettingsPreviewBody = Static<typeof SettingsPreviewBody>;
