import { expect, it, vi } from 'vitest';
import { reasonUnlessAnswered } from './readiness.ts';

it('shares one query among concurrent probes', async () => {
  const [failing, succeeding] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const query = vi
    .fn<() => Promise<void>>()
    .mockReturnValueOnce(failing.promise)
    .mockReturnValueOnce(succeeding.promise);
  const notReady = reasonUnlessAnswered('the store', query);
  const first = Array.from({ length: 50 }, () => notReady());
  expect(query).toHaveBeenCalledTimes(1);
  failing.reject(new Error('failing'));
  expect(new Set(await Promise.all(first))).toEqual(new Set(['the store does not answer']));
  const next = notReady();
  expect(query).toHaveBeenCalledTimes(2);
  succeeding.resolve();
  expect(await next).toBeUndefined();
});
