/** The error of a request or task on an index whose files are known to be damaged. */
import { ApiError } from './errors.ts';

/**
 * @param damage one description for each damaged file; no error when empty
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
