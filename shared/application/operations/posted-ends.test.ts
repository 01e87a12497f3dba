import { expect, it } from 'vitest';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { admitted } from '#shared/domain/operation/testing/given.ts';
import { postEnd, postEnds } from './posted-ends.ts';

const operation = fold([admitted()]) as Operation;
const ledger = (posted: boolean) => ({ post: async () => posted });
const notReady = { code: 'not_ready' };

it('answers 503, not an end whose entries are not posted (R12.12)', async () => {
  await expect(postEnd(ledger(false), operation)).rejects.toMatchObject(notReady);
  await expect(postEnd(ledger(true), operation)).resolves.toBeUndefined();
});

it('answers 503, not a list with such an end, or with one that can not be read', async () => {
  const read = Promise.resolve(operation);
  await expect(postEnds(ledger(false), [read])).rejects.toMatchObject(notReady);
  const failed = Promise.reject(new Error('no answer'));
  await expect(postEnds(ledger(true), [read, failed])).rejects.toMatchObject(notReady);
  await expect(postEnds(ledger(true), [read, read])).resolves.toBeUndefined();
});
