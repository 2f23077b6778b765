/**
 * Stems of words by language, by the algorithms of the Snowball family: words of one stem are
 * inflections of each other. They take the normal forms of words (relevance.md 1.1).
 */
import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as serbian } from '@orama/stemmers/serbian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as english } from 'stemmer';

/** The stem of a word in normal form. */
export type Stemmer = (word: string) => string;

/** By ISO 639-3 code. */
export const STEMMERS: Readonly<Record<string, Stemmer>> = {
  ara: arabic,
  dan: danish,
  deu: german,
  ell: greek,
  eng: english,
  fin: finnish,
  fra: french,
  hun: hungarian,
  hye: armenian,
  ind: indonesian,
  ita: italian,
  lit: lithuanian,
  nep: nepali,
  nld: dutch,
  nob: norwegian,
  por: portuguese,
  ron: romanian,
  rus: russian,
  spa: spanish,
  srp: serbian,
  swe: swedish,
  tam: tamil,
  tur: turkish,
};
