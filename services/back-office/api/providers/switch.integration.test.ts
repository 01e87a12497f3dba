import { expect, test } from 'vitest';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { directoryStream } from '#shared/application/directory/stream.ts';
import { newId } from '#shared/platform/ids.ts';
import { useAdmin, tokens } from '../../testing/admin.ts';

// Its own provider: other tests create payments on the same log.
const provider = `provider-${newId()}`;
const admin = useAdmin({ providers: ['sandbox', provider] });

const switchTo = (state: 'on' | 'off', reason: string) =>
  admin.call(`POST /admin/v1/providers/${provider}/switch-${state}`, {
    body: { reason },
    token: tokens.operator,
  });
const switches = async () =>
  (await admin.store.read(directoryStream)).filter(
    ({ data }) => (data as { provider?: string }).provider === provider,
  );

test('switches a provider off and on at once, with operator, time and reason (R7.14)', async () => {
  const otherInstance = createDirectory(admin.store);
  expect((await otherInstance.providers()).off.has(provider)).toBe(false);
  const off = await switchTo('off', 'it answers nothing');
  const expected = {
    provider,
    routing: 'off',
    switched_off: { reason: 'it answers nothing', by: 'oleg', since: expect.stringMatching(/Z$/) },
  };
  expect(off).toMatchObject({ status: 200, body: expected });
  expect((await otherInstance.providers()).off.has(provider)).toBe(true);
  const { body } = await admin.call<{ providers: object[] }>('GET /admin/v1/providers', {
    token: tokens.auditor,
  });
  expect(body.providers).toContainEqual(expect.objectContaining(off.body));
  expect(await switchTo('on', 'it answers again')).toMatchObject({
    status: 200,
    body: { provider, routing: 'on', switched_off: null },
  });
  expect((await otherInstance.providers()).off.has(provider)).toBe(false);
  await otherInstance.stop();
  expect(await switches()).toMatchObject([
    {
      type: 'ProviderSwitchedOff',
      data: { provider, reason: 'it answers nothing' },
      metadata: { actor: 'operator:oleg' },
    },
    { type: 'ProviderSwitchedOn', metadata: { actor: 'operator:oleg' } },
  ]);
});

test('ignores a repeat, and retains the first reason', async () => {
  const before = (await switches()).length;
  await switchTo('off', 'first');
  expect(await switchTo('off', 'second')).toMatchObject({
    body: { switched_off: { reason: 'first' } },
  });
  expect(await switches()).toHaveLength(before + 1);
  await switchTo('on', 'done');
});

test('requires a reason and a known provider', async () => {
  const invalid = { status: 400, body: { errors: [{ pointer: '/reason' }] } };
  expect(await switchTo('off', '')).toMatchObject(invalid);
  const unknown = 'POST /admin/v1/providers/no-such-provider/switch-off';
  expect((await admin.call(unknown, { body: { reason: 'r' } })).status).toBe(404);
});
