/** Whether the bytes of a member name are among the selected ones. */
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { MemberNames } from '../../../../src/engine/json/member-names.ts';

const OTHERS = Array.from({ length: 20 }, (_, at) => `other${at}`);

const has = (paths: readonly string[], name: string): boolean => {
  const bytes = encodeUtf8(name);
  return new MemberNames(paths).has(bytes, 0, bytes.length);
};

describe.each([
  ['few', []],
  ['more than sixteen', OTHERS],
])('among %s names', (_, others) => {
  it.each(['title', 'größe', '\ufeffid', '😀'])('%j is found', (name) => {
    expect(has([name, ...others], name)).toBe(true);
  });

  it('a name is found by its bytes, escaped or not', () => {
    expect(has(['size', ...others], 's\\u0069ze')).toBe(true);
    expect(has(['\ufeffid', ...others], 'id')).toBe(false);
    expect(has(['id', ...others], '\ufeffid')).toBe(false);
  });

  it('a path selects the members that lead to it', () => {
    expect(has(['a.b.c', ...others], 'a')).toBe(true);
    expect(has(['a.b.c', ...others], 'a.b')).toBe(true);
    expect(has(['a.b.c', ...others], 'b')).toBe(false);
  });
});
