import { expect, it } from 'vitest';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { admitted } from '#shared/domain/operation/testing/given.ts';
import { postEnd, postEnds } from './posted-ends.ts';

const operation = fold([admitted()]) as Operation;
const ledger = (posted: boolean) => ({ post: async () => posted });
const notReady = { code: 'not_ready' };

it('returns 503 until the entries of a terminal status are posted (R12.12)', async () => {
  await expect(postEnd(ledger(false), operation)).rejects.toMatchObject(notReady);
  await expect(postEnd(ledger(true), operation)).resolves.toBeUndefined();
});

it('returns 503 for a list with such an operation or an unreadable one', async () => {
  const read = async (id: string) => {
    if (id === 'failed') throw new Error('no answer');
    return operation;
  };
  await expect(postEnds(ledger(false), ['a'], read)).rejects.toMatchObject(notReady);
  await expect(postEnds(ledger(true), ['a', 'failed'], read)).rejects.toMatchObject(notReady);
  await expect(postEnds(ledger(true), ['a', 'b'], read)).resolves.toBeUndefined();
});

it('processes at most eight operations at a time', async () => {
  let [atOnce, most, posts] = [0, 0, 0];
  const post = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    posts += 1;
    return true;
  };
  const ids = Array.from({ length: 100 }, (_, at) => String(at));
  await postEnds({ post }, ids, async () => operation);
  expect({ most, posts }).toEqual({ most: 8, posts: 100 });
});
