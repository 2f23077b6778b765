/** What a request or task is answered that needs an index whose files are known to be damaged. */
import { ApiError } from './errors.ts';

/**
 * @param damage what is wrong with the files, each named; nothing happens when it is empty
 * @param consequence follows "Index `x` is damaged", such as " and can only be deleted"
 * @throws ApiError `invalid_store_file`
 */
export function throwIfDamaged(uid: string, damage: readonly string[], consequence = ''): void {
  if (damage.length === 0) return;
  throw new ApiError(
    'invalid_store_file',
    `Index \`${uid}\` is damaged${consequence}: ${damage.join('; ')}.`,
  );
}
