import { expect, it } from 'vitest';
import { createConcurrencyLimit } from './limit-concurrency.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs a few requests of one merchant at a time, all of them in the end, and others’ meanwhile', async () => {
  const limited = createConcurrencyLimit();
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const all = gates.map((gate, index) =>
    limited('a', async () => {
      begun.push(index);
      await gate.promise;
      if (index === 0) throw new Error('broken');
    }).catch((error: Error) => error.message),
  );
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  expect(await limited('b', async () => 'done')).toBe('done');
  gates[0]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(all)).toEqual(['broken', undefined, undefined, undefined, undefined]);
  expect(await limited('a', async () => 'done')).toBe('done');
});

it('refuses requests beyond the bound of the queue', async () => {
  const limited = createConcurrencyLimit();
  const gate = Promise.withResolvers<void>();
  const all = Array.from({ length: 40 }, () =>
    limited('a', () => gate.promise).catch((error: { code: string }) => error.code),
  );
  await settled();
  gate.resolve();
  const refused = (await Promise.all(all)).filter((each) => each === 'not_ready');
  expect(refused).toHaveLength(7);
});
