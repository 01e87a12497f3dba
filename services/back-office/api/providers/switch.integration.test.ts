import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { directoryStream } from '#shared/application/directory/stream.ts';
import { newId } from '#shared/platform/ids.ts';
import { startAdmin, tokens, type TestAdmin } from '../../testing/admin.ts';

// Of its own: others make payments on the same log.
const provider = `provider-${newId()}`;
let admin: TestAdmin;
beforeAll(async () => {
  const urls = { eventStoreUrl: inject('eventStoreUrl'), databaseUrl: inject('databaseUrl') };
  admin = await startAdmin(urls, { providers: ['sandbox', provider] });
});
afterAll(() => admin.stop());

const to = (state: 'on' | 'off', reason: string) =>
  admin.ask(`POST /admin/v1/providers/${provider}/switch-${state}`, {
    body: { reason },
    token: tokens.operator,
  });
const switches = async () =>
  (await admin.store.read(directoryStream)).filter(
    ({ data }) => (data as { provider?: string }).provider === provider,
  );

test('an operator switches a provider off and on, with who, when and why, in force once answered (R7.14)', async () => {
  const elsewhere = createDirectory(admin.store);
  expect((await elsewhere.providers()).off.has(provider)).toBe(false);
  const off = await to('off', 'it answers nothing');
  const stated = {
    provider,
    routing: 'off',
    switched_off: { reason: 'it answers nothing', by: 'oleg', since: expect.stringMatching(/Z$/) },
  };
  expect(off).toMatchObject({ status: 200, body: stated });
  expect((await elsewhere.providers()).off.has(provider)).toBe(true);
  const { body } = await admin.ask<{ providers: object[] }>('GET /admin/v1/providers', {
    token: tokens.auditor,
  });
  expect(body.providers).toContainEqual(expect.objectContaining(off.body));
  expect(await to('on', 'it answers again')).toMatchObject({
    status: 200,
    body: { provider, routing: 'on', switched_off: null },
  });
  expect((await elsewhere.providers()).off.has(provider)).toBe(false);
  await elsewhere.stop();
  expect(await switches()).toMatchObject([
    {
      type: 'ProviderSwitchedOff',
      data: { provider, reason: 'it answers nothing' },
      metadata: { actor: 'operator:oleg' },
    },
    { type: 'ProviderSwitchedOn', metadata: { actor: 'operator:oleg' } },
  ]);
});

test('a repeat changes nothing, and the first reason stands', async () => {
  const before = (await switches()).length;
  await to('off', 'first');
  expect(await to('off', 'second')).toMatchObject({ body: { switched_off: { reason: 'first' } } });
  expect(await switches()).toHaveLength(before + 1);
  await to('on', 'done');
});

test('it takes a reason, a provider that there is, and a role that may', async () => {
  expect(await to('off', '')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/reason' }] },
  });
  const body = { reason: 'r' };
  const request = (name: string, token?: string) =>
    admin.ask(`POST /admin/v1/providers/${name}/switch-off`, { body, ...(token && { token }) });
  expect((await request('nobody')).status).toBe(404);
  expect((await request(provider, tokens.auditor)).status).toBe(403);
});
