import { expect, it } from 'vitest';
import { createSwitches } from './switches.ts';

const startMs = Date.parse('2026-01-31T12:00:00.000Z');

it('allows a create to continue for a few seconds after the switch-off, no longer (R7.14)', () => {
  const switches = createSwitches();
  const atMs = Date.parse('2026-01-31T12:00:00.000Z');
  switches.take({ type: 'ProviderSwitchedOff', data: { provider: 'sandbox', reason: 'r' } }, atMs);
  expect(switches.offBefore('sandbox', atMs + 12_250)).toBeUndefined();
  expect(switches.offBefore('sandbox', atMs + 12_251)).toBe('2026-01-31T12:00:00.000Z');
  switches.take(
    { type: 'ProviderSwitchedOn', data: { provider: 'sandbox', reason: 'r' } },
    atMs + 1,
  );
  expect(switches.offBefore('sandbox', atMs + 60_000)).toBeUndefined();
});

it('allows an added account for the same time after its switch-off (R23.5)', () => {
  const switches = createSwitches();
  const atMs = Date.parse('2026-01-31T12:00:00.000Z');
  const route = { provider: 'sandbox', account: 'second' };
  const credentials = { master_key_id: 'm', sealed: 's', fingerprint: 'f' };
  const why = (after: number) => switches.whyNotAccount(route, atMs + after);
  expect(why(0)).toBe('the account does not exist');
  switches.take(
    { type: 'ProviderAccountAdded', data: { ...route, label: 'l', credentials } },
    atMs,
  );
  expect(why(0)).toBeUndefined();
  switches.take({ type: 'ProviderAccountSwitchedOff', data: { ...route, reason: 'r' } }, atMs);
  switches.take({ type: 'ProviderAccountRemoved', data: { ...route, reason: 'r' } }, atMs + 60_000);
  expect([why(12_250), why(12_251)]).toEqual([
    undefined,
    'it is switched off since 2026-01-31T12:00:00.000Z',
  ]);
  for (const account of [undefined, 'default'])
    expect(switches.whyNotAccount({ provider: 'sandbox', account }, atMs + 60_000)).toBeUndefined();
  expect(switches.offBefore('sandbox', atMs + 60_000)).toBeUndefined();
});

it('knows for a minute that a provider was off (R18.15)', () => {
  const switches = createSwitches();
  const route = { provider: 'sandbox' };
  const mayBeOff = (after: number) =>
    switches.mayBeOff(route, { what: 'provider', atMs: startMs + after });
  const data = { provider: 'sandbox', reason: 'r' };
  expect(mayBeOff(0)).toBe(false);
  switches.take({ type: 'ProviderSwitchedOff', data }, startMs);
  expect(mayBeOff(3_600_000)).toBe(true);
  switches.take({ type: 'ProviderSwitchedOn', data }, startMs);
  expect([mayBeOff(60_000), mayBeOff(60_001)]).toEqual([true, false]);
});
