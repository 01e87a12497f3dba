import { expect, test } from 'vitest';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { directoryStream } from '#shared/application/directory/stream.ts';
import { newId } from '#shared/platform/ids.ts';
import { useAdmin, tokens } from '../../testing/admin.ts';

// Its own provider: other tests create payments on the same log.
const provider = `provider-${newId()}`;
const admin = useAdmin({ providers: ['sandbox', provider] });

const switchTo = (state: 'on' | 'off', reason: string) => {
  const path = `POST /admin/v1/providers/${provider}/switch-${state}`;
  return admin.call(path, { body: { reason }, token: tokens.operator });
};
const switches = async () =>
  (await admin.store.read(directoryStream)).filter(
    ({ data }) => (data as { provider?: string }).provider === provider,
  );

test('switches a provider off and on at once, with operator, time and reason (R7.14)', async () => {
  const otherInstance = createDirectory(admin.store);
  expect((await otherInstance.providers()).off.has(provider)).toBe(false);
  const reason = 'it answers nothing';
  const off = await switchTo('off', reason);
  const switched_off = { reason, by: 'oleg', since: expect.stringMatching(/Z$/) };
  expect(off).toMatchObject({ status: 200, body: { provider, routing: 'off', switched_off } });
  expect((await otherInstance.providers()).off.has(provider)).toBe(true);
  type Listed = { providers: object[] };
  const list = await admin.call<Listed>('GET /admin/v1/providers', { token: tokens.auditor });
  expect(list.body.providers).toContainEqual(expect.objectContaining(off.body));
  const on = { provider, routing: 'on', switched_off: null };
  expect(await switchTo('on', 'it answers again')).toMatchObject({ status: 200, body: on });
  expect((await otherInstance.providers()).off.has(provider)).toBe(false);
  await otherInstance.stop();
  const metadata = { actor: 'operator:oleg' };
  expect(await switches()).toMatchObject([
    { type: 'ProviderSwitchedOff', data: { provider, reason }, metadata },
    { type: 'ProviderSwitchedOn', metadata },
  ]);
});

test('ignores a repeat, and retains the first reason', async () => {
  const before = (await switches()).length;
  await switchTo('off', 'first');
  const retained = { body: { switched_off: { reason: 'first' } } };
  expect(await switchTo('off', 'second')).toMatchObject(retained);
  expect(await switches()).toHaveLength(before + 1);
  await switchTo('on', 'done');
});

test('requires a reason and a known provider', async () => {
  const invalid = { status: 400, body: { errors: [{ pointer: '/reason' }] } };
  expect(await switchTo('off', '')).toMatchObject(invalid);
  const unknown = 'POST /admin/v1/providers/no-such-provider/switch-off';
  expect((await admin.call(unknown, { body: { reason: 'r' } })).status).toBe(404);
});
