import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';
import { maxLists } from '../endpoints/list/routes.ts';
import { bounded, boundedByShop, limitInFlight } from './in-flight.ts';

/** An app whose requests wait until the test releases them; the path names the shop. */
function createApp(limits: { total: number; perShop: number }) {
  const gate = Promise.withResolvers<void>();
  const app = new Hono<MerchantEnv>();
  app.onError(
    (error) => new Response(error instanceof Problem ? error.code : 'bug', { status: 503 }),
  );
  app.use(async (c, next) => {
    c.set('shop', { shopId: c.req.path } as never);
    await next();
  }, limitInFlight(limits));
  app.get('*', async (c) => {
    await gate.promise;
    return c.req.path === '/breaks' ? Promise.reject(new Error('broken')) : c.text('done');
  });
  return { get: async (path: string) => (await app.request(path)).text(), letGo: gate.resolve };
}

it('rejects requests over the process limit at once, and accepts more as others end', async () => {
  const { get, letGo } = createApp({ total: 2, perShop: 2 });
  const first = [get('/a'), get('/breaks')];
  expect(await get('/c')).toBe('not_ready');
  letGo();
  expect(await Promise.all(first)).toEqual(['done', 'bug']);
  expect(await Promise.all([get('/a'), get('/c')])).toEqual(['done', 'done']);
});

it('leaves capacity to other shops while one waits (R1.10)', async () => {
  const { get, letGo } = createApp({ total: 4, perShop: 2 });
  const first = [get('/a'), get('/a')];
  expect(await get('/a')).toBe('not_ready');
  const other = get('/b');
  letGo();
  expect(await Promise.all([...first, other])).toEqual(['done', 'done', 'done']);
  expect(await get('/a')).toBe('done');
});

it('leaves capacity to other shops while several wait', async () => {
  const { get, letGo } = createApp({ total: 16, perShop: 8 });
  const waiting = ['/a', '/b', '/c'].flatMap((shop) => Array.from({ length: 16 }, () => get(shop)));
  const other = get('/d');
  letGo();
  expect(await other).toBe('done');
  const answers = await Promise.all(waiting);
  const done = [0, 16, 32].map(
    (from) => answers.slice(from, from + 16).filter((answer) => answer === 'done').length,
  );
  expect(done).toEqual([8, 4, 2]);
});

it('bounds waiting calls, and accepts more as others end', async () => {
  const gate = Promise.withResolvers<string>();
  const call = bounded(2, (arg: string) =>
    arg === 'breaks' ? Promise.reject(new Error(arg)) : gate.promise,
  );
  const waiting = [call('a'), call('b')];
  await expect(call('c')).rejects.toMatchObject({ code: 'not_ready' });
  gate.resolve('done');
  expect(await Promise.all(waiting)).toEqual(['done', 'done']);
  await expect(call('breaks')).rejects.toThrow('breaks');
  expect(await Promise.all([call('d'), call('e')])).toEqual(['done', 'done']);
});

it('bounds the calls of one shop, and leaves capacity to others (R10.13)', async () => {
  const gate = Promise.withResolvers<string>();
  const call = boundedByShop(maxLists, ({ shopId }) =>
    shopId === 'breaks' ? Promise.reject(new Error(shopId)) : gate.promise,
  );
  const waiting = Array.from({ length: 60 }, () =>
    call({ shopId: 'a' }).catch((error: Problem) => error.code),
  );
  const other = call({ shopId: 'b' });
  await expect(call({ shopId: 'breaks' })).rejects.toThrow('breaks');
  gate.resolve('done');
  expect(await other).toBe('done');
  const answers = await Promise.all(waiting);
  expect([answers.slice(0, 4), new Set(answers.slice(4))]).toEqual([
    ['done', 'done', 'done', 'done'],
    new Set(['not_ready']),
  ]);
  expect(await call({ shopId: 'a' })).toBe('done');
});
