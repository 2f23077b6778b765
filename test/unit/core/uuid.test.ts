/** UUIDs in all forms that clients write. */
import { describe, expect, it } from 'vitest';
import { parseUuid } from '../../../src/core/uuid.ts';

const UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';
const DIGITS = UID.replaceAll('-', '');

describe('parseUuid', () => {
  it.each([UID, UID.toUpperCase(), DIGITS, `{${UID}}`, `urn:uuid:${UID}`])('reads %s', (text) => {
    expect(parseUuid(text)).toBe(UID);
  });

  it.each([
    '',
    UID.slice(1),
    `${UID}0`,
    UID.replace('-', ''),
    `{${DIGITS}}`,
    `{${UID}`,
    `urn:uuid:${DIGITS}`,
    `URN:UUID:${UID}`,
  ])('refuses %j', (text) => {
    expect(parseUuid(text)).toBeNull();
  });
});
