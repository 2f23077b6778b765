/** Schema of the fingerprint route. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { closed, flag } from './schema.ts';

export const FingerprintQuery = closed({
  parts: Type.Optional(flag('invalid_fingerprint_parts')),
  documents: Type.Optional(
    Type.Array(Type.String({ pattern: '^[0-9a-f]{2,8}$' }), {
      maxItems: limits.fingerprintPrefixesMax,
      code: 'invalid_fingerprint_documents',
      expects: `1 to ${limits.fingerprintPrefixesMax} beginnings of the SHA-256 of ids, of 2 to 8 digits \`0-9 a-f\`, separated by commas`,
      minItems: 1,
      text: 'list',
    }),
  ),
});
export type FingerprintQuery = Static<typeof FingerprintQuery>;
