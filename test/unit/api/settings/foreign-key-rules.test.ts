/** Which foreign keys a settings write may give. */
import { describe, expect, it } from 'vitest';
import { checkForeignKeys } from '../../../../src/api/settings/settings-rules.ts';
import { limits } from '../../../../src/core/limits.ts';
import type { ForeignKey } from '../../../../src/model/settings.ts';

const key = (fieldName: string, foreignIndexUid = 'people'): ForeignKey => ({
  fieldName,
  foreignIndexUid,
});
const keys = (count: number): ForeignKey[] => Array.from({ length: count }, (_, i) => key(`f${i}`));

describe('foreign keys', () => {
  it.each([
    [[]],
    [[key('by'), key('cast.actor'), { ...key('place', 'places'), foreignPrimaryKey: 'code' }]],
    [keys(limits.foreignKeysPerIndexMax)],
  ])('are taken as they are', (given) => {
    expect(checkForeignKeys(given)).toEqual(given);
  });

  it.each<[ForeignKey[], string[]]>([
    [
      [key('by'), key('')],
      ['foreignKeys[1].fieldName', 'empty'],
    ],
    [
      [key('by'), key('by', 'places')],
      ['foreignKeys[1].fieldName', '"by"'],
    ],
    [[key('by', 'no uid')], ['foreignKeys[0].foreignIndexUid', '"no uid"']],
    [[key('by', '')], ['foreignKeys[0].foreignIndexUid']],
    [[{ ...key('by'), foreignPrimaryKey: '' }], ['foreignKeys[0].foreignPrimaryKey', 'empty']],
    [keys(limits.foreignKeysPerIndexMax + 1), ['17 keys', 'at most 16']],
  ])('are refused with what is wrong', (given, told) => {
    const write = () => checkForeignKeys(given);
    for (const text of told) expect(write).toThrow(text);
    expect(write).toThrow(expect.objectContaining({ code: 'invalid_settings_foreign_keys' }));
  });
});
