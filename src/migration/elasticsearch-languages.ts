/** Languages by the names of Elasticsearch and OpenSearch analyzers and stemmers. */

const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'arabic ar,armenian hy,bengali bn,bulgarian bg,catalan ca,cjk zh,czech cs,danish da,dutch nl,' +
    'english en,estonian et,finnish fi,french fr,german de,german2 de,greek el,hindi hi,hungarian hu,' +
    'indonesian id,italian it,latvian lv,lithuanian lt,norwegian nb,persian fa,portuguese pt,' +
    'brazilian pt,romanian ro,russian ru,serbian sr,spanish es,swedish sv,thai th,turkish tr,' +
    'porter en,porter2 en,kuromoji ja,nori ko,smartcn zh,ik_max_word zh,ik_smart zh'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Code of the language; undefined if the name is not a language. */
export const languageOf = (name: string): string | undefined =>
  LANGUAGES[name.toLowerCase().replace(/^(light|minimal|lovins)_/, '')];
