import { expect, it } from 'vitest';
import { createConcurrencyLimit } from './limit-concurrency.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs three requests of an owner at a time, without blocking another’s', async () => {
  const limited = createConcurrencyLimit({ running: 3, queued: 30 });
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const all = gates.map((gate, index) =>
    limited('a', async () => {
      started.push(index);
      await gate.promise;
      if (index === 0) throw new Error('broken');
    }).catch((error: Error) => error.message),
  );
  await settled();
  expect(started).toEqual([0, 1, 2]);
  expect(await limited('b', async () => 'done')).toBe('done');
  gates[0]?.resolve();
  await settled();
  expect(started).toEqual([0, 1, 2, 3]);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(all)).toEqual(['broken', undefined, undefined, undefined, undefined]);
  expect(await limited('a', async () => 'done')).toBe('done');
});

it('rejects requests when the queue is full', async () => {
  const limited = createConcurrencyLimit({ running: 3, queued: 30 });
  const gate = Promise.withResolvers<void>();
  const all = Array.from({ length: 40 }, () =>
    limited('a', () => gate.promise).catch((error: { code: string }) => error.code),
  );
  await settled();
  gate.resolve();
  const refused = (await Promise.all(all)).filter((each) => each === 'not_ready');
  expect(refused).toHaveLength(7);
});
