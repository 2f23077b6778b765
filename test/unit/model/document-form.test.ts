/** The format of documents, from a file name. */
import { describe, expect, it } from 'vitest';
import { documentFormOf } from '../../../src/model/document-form.ts';
import { UPLOAD_MEDIA_TYPES } from '../../../src/model/upload.ts';

describe('a file of documents', () => {
  it.each([
    ['films.json', 'application/json', false, 'films'],
    ['My films (2).NDJSON', 'application/x-ndjson', false, 'My_films_2'],
    ['Bücher – Übersicht.csv', 'text/csv', false, 'Bucher_Ubersicht'],
    ['电影.json', 'application/json', false, 'documents'],
    [`${'a'.repeat(500)}.json`, 'application/json', false, 'a'.repeat(100)],
    ['a.b.csv.gz', 'text/csv', true, 'a_b'],
    ['.jsonl', 'application/x-ndjson', false, 'documents'],
  ])('%s', (name, contentType, isCompressed, indexUid) => {
    const form = documentFormOf(name);
    expect(form).toMatchObject({ isCompressed, indexUid });
    expect(form && UPLOAD_MEDIA_TYPES[form.format]).toBe(contentType);
  });

  it.each(['films.xml', 'films', 'films.gz'])('is not %s', (name) => {
    expect(documentFormOf(name)).toBeNull();
  });
});

describe('the form of documents', () => {
  it.each([
    ['/a/b/films.json', 'json', false, 'films'],
    ['films.jsonl.gz', 'ndjson', true, 'films'],
    ['My films.CSV', 'csv', false, 'My_films'],
  ])('%s', (name, format, isCompressed, indexUid) => {
    expect(documentFormOf(name)).toEqual({ format, isCompressed, indexUid });
  });

  it.each(['films', 'films.txt', '-'])('is unknown for %s', (name) => {
    expect(documentFormOf(name)).toBeNull();
  });
});
