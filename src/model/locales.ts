/** Supported languages of `locales`: ISO 639-1 and 639-3 codes, stored as 639-3. */

const PAIRS =
  'af afr,ak aka,am amh,ar ara,az aze,be bel,bn ben,bg bul,ca cat,cs ces,da dan,de deu,el ell,en eng,eo epo,et est,fi fin,fr fra,' +
  'gu guj,he heb,hi hin,hr hrv,hu hun,hy hye,id ind,it ita,jv jav,ja jpn,kn kan,ka kat,km khm,ko kor,la lat,lv lav,lt lit,ml mal,' +
  'mr mar,mk mkd,my mya,ne nep,nl nld,nb nob,or ori,pa pan,fa pes,pl pol,pt por,ro ron,ru rus,si sin,sk slk,sl slv,sn sna,es spa,' +
  'sr srp,sv swe,ta tam,te tel,tl tgl,th tha,tk tuk,tr tur,uk ukr,ur urd,uz uzb,vi vie,yi yid,zh zho,zu zul';

const byCode: ReadonlyMap<string, string> = new Map([
  ...PAIRS.split(',').flatMap((pair): [string, string][] => {
    const [short = '', long = ''] = pair.split(' ');
    return [
      [short, long],
      [long, long],
    ];
  }),
  ['cmn', 'cmn'],
]);

/** The 639-3 form of a supported code, or null. */
export const normalizeLocale = (code: string): string | null => byCode.get(code) ?? null;

export const supportedLocales = (): string[] => [...byCode.keys()].sort();

/** Languages with stemming, ascending. */
export const INFLECTED_LANGUAGES: readonly string[] =
  'ara dan deu ell eng fin fra hun hye ind ita lit nep nld nob por ron rus spa srp swe tam tur'.split(
    ' ',
  );
