import { expect, it } from 'vitest';
import { createLookup } from './batched-lookup.ts';

it('runs one query at a time, for all ids received meanwhile', async () => {
  const queries: string[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const lookUp = createLookup(async (ids) => {
    queries.push([...ids]);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return new Set(ids.filter((id) => id.startsWith('old')));
  }, 0);
  const first = [lookUp('old-1'), lookUp('new-1')];
  await expect.poll(() => queries).toEqual([['old-1', 'new-1']]);
  const second = [lookUp('new-2'), lookUp('old-2')];
  gates[0]?.resolve();
  expect(await Promise.all(first)).toEqual([true, false]);
  await expect.poll(() => queries.length).toBe(2);
  gates[1]?.resolve();
  expect(await Promise.all(second)).toEqual([false, true]);
  expect(queries[1]).toEqual(['new-2', 'old-2']);
});

it('continues after a failed query', async () => {
  let fails = true;
  const lookUp = createLookup(async (ids) => {
    if (fails) throw new Error('the database is down');
    return new Set(ids);
  }, 0);
  await expect(lookUp('a')).rejects.toThrow('down');
  fails = false;
  expect(await lookUp('a')).toBe(true);
});
