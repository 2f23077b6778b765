/** Published indexes of a front: found by uid, listed in order, distinguished by id. */
import { describe, expect, it } from 'vitest';
import { newManifest } from '../../../../src/catalog/manifest.ts';
import { PublishedIndexes } from '../../../../src/ipc/replica/published-indexes.ts';
import { encodeManifest } from '../../../../src/model/index-manifest.ts';

function setUp(...uids: string[]) {
  const indexes = new PublishedIndexes((id) => `/indexes/${id}`);
  const publish = (uid: string, id: number) =>
    indexes.publish(new TextDecoder().decode(encodeManifest(newManifest(uid, id, null, 'now'))));
  for (const [id, uid] of uids.entries()) publish(uid, id);
  const listed = () => indexes.list().map(({ manifest: { uid, id } }) => `${uid} ${id}`);
  return { indexes, publish, listed };
}

describe('published indexes', () => {
  it('are listed in order of uid, also after some have come and gone', () => {
    const { indexes, publish, listed } = setUp('b', 'a');
    expect(listed()).toEqual(['a 1', 'b 0']);
    publish('aa', 2);
    indexes.remove('a', 1);
    expect(listed()).toEqual(['aa 2', 'b 0']);
    expect(indexes.list()).toBe(indexes.list());
  });

  it('are known by one uid alone after a rename, and by the others after a swap', () => {
    const { indexes, publish, listed } = setUp('a', 'b');
    publish('c', 0);
    expect(indexes.get('a')).toBeUndefined();
    publish('b', 0);
    publish('c', 1);
    expect(listed()).toEqual(['b 0', 'c 1']);
  });

  it('stay when what is removed is another index that had the uid', () => {
    const { indexes, publish, listed } = setUp('a');
    publish('a', 7);
    indexes.remove('a', 0);
    expect(listed()).toEqual(['a 7']);
  });

  it('are forgotten when a replay does not name them', () => {
    const { indexes, publish, listed } = setUp('a', 'b');
    indexes.beginReplay();
    publish('b', 1);
    indexes.endReplay();
    expect(listed()).toEqual(['b 1']);
  });
});
