import { expect, it } from 'vitest';
import { createInTurn } from './in-turn.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('works on a few of one merchant’s at a time, on all of them in the end, and on others’ meanwhile', async () => {
  const inTurn = createInTurn();
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const all = gates.map((gate, index) =>
    inTurn('a', async () => {
      begun.push(index);
      await gate.promise;
      if (index === 0) throw new Error('broken');
    }).catch((error: Error) => error.message),
  );
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  expect(await inTurn('b', async () => 'done')).toBe('done');
  gates[0]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(all)).toEqual(['broken', undefined, undefined, undefined, undefined]);
  expect(await inTurn('a', async () => 'done')).toBe('done');
});

it('lets no more wait than may', async () => {
  const inTurn = createInTurn();
  const gate = Promise.withResolvers<void>();
  const all = Array.from({ length: 40 }, () =>
    inTurn('a', () => gate.promise).catch((error: { code: string }) => error.code),
  );
  await settled();
  gate.resolve();
  const refused = (await Promise.all(all)).filter((each) => each === 'not_ready');
  expect(refused).toHaveLength(7);
});
