import { describe, expect, it } from 'vitest';
import { OutlastingWork } from '../../../src/model/outlasting-work.ts';

/** A promise and its ends. */
function held() {
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work, end, fail };
}

describe('work that outlasts its batch', () => {
  it('is waited for, and its failure is that of who waits', async () => {
    const outlasting = new OutlastingWork();
    expect(await outlasting.waitFor(Promise.resolve(7))).toBe(7);
    await expect(outlasting.waitFor(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('goes on when the batch leaves, and further work after it', async () => {
    const outlasting = new OutlastingWork();
    const { work, end } = held();
    const waiting = outlasting.waitFor(work);
    outlasting.leave(new Error('set aside'));
    await expect(waiting).rejects.toThrow('set aside');
    const order: string[] = [];
    outlasting.goOn(async () => void order.push('further'));
    const ended = outlasting.ended().then(() => order.push('ended'));
    order.push('end');
    end();
    await ended;
    expect(order).toEqual(['end', 'further', 'ended']);
  });

  it('tells of its failure, and no further work begins then', async () => {
    const outlasting = new OutlastingWork();
    const { work, fail } = held();
    const waiting = outlasting.waitFor(work);
    outlasting.leave(new Error('set aside'));
    await expect(waiting).rejects.toThrow('set aside');
    let isBegun = false;
    outlasting.goOn(async () => {
      isBegun = true;
    });
    fail(new Error('down'));
    await expect(outlasting.ended()).rejects.toThrow('down');
    expect(isBegun).toBe(false);
  });

  it('takes no further work while the batch is there', async () => {
    const outlasting = new OutlastingWork();
    outlasting.goOn(() => Promise.reject(new Error('never')));
    await outlasting.ended();
  });
});
