/** Maps analysis settings of Elasticsearch and OpenSearch: synonyms, stop words, stemmers. */
import { type Json, objectOf } from '../core/json.ts';
import { type ElasticsearchDraft, languageOf } from './elasticsearch-fields.ts';
import { each, lost, type MappingTable, textsOf } from './mapped-index.ts';
import { takeByRule } from './settings-draft.ts';

/** Kinds of token filters that affect matching. */
export const ELASTICSEARCH_FILTERS: MappingTable<ElasticsearchDraft> = {
  synonym: {
    becomes: '`synonyms`: `a, b` in both directions, `a => b` in one',
    says: 'rules in files or sets of the server are not in the settings',
    take: (value, draft) => takeSynonyms(value as Json, draft),
  },
  synonym_graph: {
    becomes: 'as `synonym`',
    take: (value, draft) => takeSynonyms(value as Json, draft),
  },
  stop: {
    becomes: '`stopWords`, where they are listed',
    says: 'lists of languages (`_english_`) are not in the settings',
    take: (value, draft) => takeStopWords(value as Json, draft),
  },
  stemmer: {
    becomes: '`inflections` of the language',
    take: (value, draft) => {
      const { language, name } = value as Json;
      draft.addInflections(languageOf(String(language ?? name)) ?? String(language ?? name));
    },
  },
  snowball: {
    becomes: '`inflections` of the language',
    take: (value, draft) => {
      const language = String((value as Json)['language'] ?? 'english');
      draft.addInflections(languageOf(language) ?? language);
    },
  },
  ...each('lowercase asciifolding icu_folding', { becomes: 'nothing: it is always so' }),
  edge_ngram: { becomes: 'nothing: words are found by their beginnings (`prefixSearch`)' },
  ngram: lost(
    'has no counterpart: name attributes that are found by any part in `substringAttributes`',
  ),
};

/** Synonym rules in Solr format. */
function takeSynonyms(filter: Json, draft: ElasticsearchDraft): void {
  const rules = textsOf(filter['synonyms']);
  if (rules.length === 0)
    draft.note('synonyms in a file or set', 'are not in the settings: give them as `synonyms`');
  if (filter['format'] === 'wordnet') {
    draft.note('synonyms of WordNet', 'are in a form not known to this program');
    return;
  }
  const phrases = (text: string) =>
    text
      .split(/(?<!\\),/)
      .map((phrase) => phrase.replaceAll('\\,', ',').trim())
      .filter((phrase) => phrase !== '');
  for (const rule of rules.filter((line) => !line.startsWith('#'))) {
    const [left = '', right] = rule.split('=>');
    if (right === undefined) draft.addSynonyms(phrases(left));
    else
      for (const phrase of phrases(left))
        draft.addOneWay(
          phrase,
          phrases(right).filter((other) => other !== phrase),
        );
  }
}

function takeStopWords(filter: Json, draft: ElasticsearchDraft): void {
  const { stopwords } = filter;
  const words = Array.isArray(stopwords)
    ? textsOf(stopwords)
    : String(stopwords ?? '_english_').split(',');
  for (const word of words.map((text) => text.trim()))
    if (/^_.*_$/.test(word))
      draft.note(`stop words ${word}`, 'are a list of the server: give them as `stopWords`');
    else draft.stopWords.add(word);
}

export function takeAnalysis(analysis: Json, draft: ElasticsearchDraft): void {
  for (const [name, filter] of Object.entries(objectOf(analysis['filter']))) {
    const kind = String(objectOf(filter)['type']);
    takeByRule(ELASTICSEARCH_FILTERS, [kind, `token filter ${name} (${kind})`], filter, draft);
  }
  for (const part of ['char_filter', 'tokenizer', 'normalizer'])
    for (const name of Object.keys(objectOf(analysis[part])))
      draft.note(`${part} ${name}`, 'has no counterpart: see `separatorTokens` and `dictionary`');
  for (const [name, analyzer] of Object.entries(objectOf(analysis['analyzer'])))
    if (objectOf(analyzer)['type'] === 'pattern')
      draft.note(`analyzer ${name}`, 'cuts by a pattern: see `separatorTokens`');
}
