/** Members of objects on a tape. */
import { stringText } from '../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../engine/json/json-tape.ts';

/** The value of a member of the object; null when there is none. */
export function memberNode(tape: JsonTape, object: number, name: string): number | null {
  if (tape.kind(object) !== JsonKind.object) return null;
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    if (stringText(tape, key) === name) return key + 1;
  }
  return null;
}
