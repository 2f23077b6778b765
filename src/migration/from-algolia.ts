/** Converts Algolia indexes: settings, synonyms and rules as its API exports them, and records. */
import type { Json } from '../core/json.ts';
import { ALGOLIA_SETTINGS, AlgoliaDraft, rankingRules, takeLanguages } from './algolia-settings.ts';
import { ChangeDraft } from './change-draft.ts';
import { type MapDocument, type MappedIndex, textsOf } from './mapped-index.ts';
import { takeMembers } from './settings-draft.ts';

export const ALGOLIA_ID = 'objectID';

/** @param rows as the API exports them: with `type`, `synonyms`, `input`, `word`, `corrections` */
function takeSynonyms(rows: readonly Json[], draft: AlgoliaDraft): void {
  for (const row of rows) {
    const { objectID, type, input, word } = row;
    const name = `synonym ${String(objectID)}`;
    const kind = String(type).toLowerCase();
    if (kind === 'synonym') draft.addSynonyms(textsOf(row['synonyms']));
    else if (kind === 'onewaysynonym' && typeof input === 'string')
      draft.addOneWay(input, textsOf(row['synonyms']));
    else if (/^altcorrection[12]$/.test(kind) && typeof word === 'string') {
      draft.addOneWay(word, textsOf(row['corrections']));
      draft.note(
        name,
        'is an alternative correction: a synonym here, which does not count as a typo',
      );
    } else draft.note(name, `has no counterpart (${String(type)})`);
  }
}

interface AlgoliaExport {
  readonly indexUid: string;
  readonly settings: Json;
  readonly synonyms: readonly Json[];
  readonly rules: readonly Json[];
}

export function mapAlgoliaIndex({
  indexUid,
  settings,
  synonyms,
  rules,
}: AlgoliaExport): MappedIndex {
  const draft = new AlgoliaDraft();
  takeMembers(ALGOLIA_SETTINGS, settings, draft);
  if (settings['allowTyposOnNumericTokens'] === false)
    draft.setMember('typoTolerance.disableOnNumbers', true);
  if (settings['typoTolerance'] === false) draft.setMember('typoTolerance.enabled', false);
  if (draft.distinctAttribute !== null && draft.distinct > 0)
    draft.others['distinctAttribute'] = draft.distinctAttribute;
  if (draft.localized.length === 0) takeLanguages(draft.queryLanguages, draft);
  draft.others['rankingRules'] = rankingRules(draft);
  takeSynonyms(synonyms, draft);
  for (const rule of rules)
    draft.note(
      `rule ${String(rule['objectID'])}`,
      'is not taken over: pin and hide documents with search rules',
    );
  draft.addPlace();
  if (!Array.isArray(settings['numericAttributesForFiltering']))
    draft.note(
      'numbers',
      'are filtered there without being named: add them to `filterableAttributes`',
    );
  return { uid: indexUid, primaryKey: ALGOLIA_ID, settings: draft.settings(), notes: draft.notes };
}

/** Members that search answers add to records. */
const OF_ANSWERS = ['_highlightResult', '_snippetResult', '_rankingInfo', '_distinctSeqID'];

export const mapAlgoliaRecord: MapDocument = (record) => {
  const draft = new ChangeDraft();
  draft.setId(record, ALGOLIA_ID, record[ALGOLIA_ID]);
  draft.remove.push(...OF_ANSWERS.filter((name) => Object.hasOwn(record, name)));
  if (!Object.hasOwn(record, '_geoloc')) return draft;
  draft.remove.push('_geoloc');
  draft.setGeo('_geoloc', record['_geoloc'], 'latitude first');
  return draft;
};
