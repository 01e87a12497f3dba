import { expect, it, vi } from 'vitest';
import { unlessAnswered } from './readiness.ts';

it('probes that come while one is under way share its query', async () => {
  const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ask = vi
    .fn<() => Promise<void>>()
    .mockReturnValueOnce(away.promise)
    .mockReturnValueOnce(back.promise);
  const notReady = unlessAnswered('the store', ask);
  const first = Array.from({ length: 50 }, () => notReady());
  expect(ask).toHaveBeenCalledTimes(1);
  away.reject(new Error('away'));
  expect(new Set(await Promise.all(first))).toEqual(new Set(['the store does not answer']));
  const next = notReady();
  expect(ask).toHaveBeenCalledTimes(2);
  back.resolve();
  expect(await next).toBeUndefined();
});
