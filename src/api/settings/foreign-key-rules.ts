/** Checks foreign keys of one request; the referenced index may be created later. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';
import type { ForeignKey } from '../../model/settings.ts';

const refuse = (problem: string): ApiError =>
  new ApiError('invalid_settings_foreign_keys', problem);

/** @throws ApiError `invalid_settings_foreign_keys` */
export function checkForeignKeys(keys: readonly ForeignKey[]): readonly ForeignKey[] {
  if (keys.length > limits.foreignKeysPerIndexMax)
    throw refuse(
      `\`foreignKeys\` holds ${keys.length} keys; at most ${limits.foreignKeysPerIndexMax} are allowed.`,
    );
  const fields = new Set<string>();
  for (const [place, { fieldName, foreignIndexUid }] of keys.entries()) {
    if (fieldName === '')
      throw refuse(`\`foreignKeys[${place}].fieldName\` is empty, expected the name of a field.`);
    if (fields.has(fieldName))
      throw refuse(
        `\`foreignKeys[${place}].fieldName\` is ${JSON.stringify(fieldName.slice(0, 80))} as in a key before it; the values of a field name documents of one index.`,
      );
    if (!isIndexUid(foreignIndexUid))
      throw refuse(
        `\`foreignKeys[${place}].foreignIndexUid\` is ${JSON.stringify(foreignIndexUid.slice(0, 80))}, expected an index uid: 1 to ${limits.indexUidBytesMax} characters out of \`A-Z a-z 0-9 _ -\`.`,
      );
    fields.add(fieldName);
  }
  return keys;
}
