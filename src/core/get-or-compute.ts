/**
 * The value of a key of a `Map` or `WeakMap`; computes and stores it at its first use. In loops over
 * documents or tokens look-ups are written out: an object for the function is made at each call.
 */
export function getOrCompute<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  compute: () => NoInfer<Value>,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute();
  map.set(key, value);
  return value;
}
