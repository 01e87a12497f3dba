import { expect, test } from 'vitest';
import type { ProviderSwitchEvent } from './events.ts';
import { allSwitchedOn, evolveSwitches, switchProvider } from './switch.ts';

const off: ProviderSwitchEvent = {
  type: 'ProviderSwitchedOff',
  data: { provider: 'sandbox', reason: 'they asked for it' },
};
const on: ProviderSwitchEvent = {
  type: 'ProviderSwitchedOn',
  data: { provider: 'sandbox', reason: 'back' },
};
const at = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' };
const given = (...events: ProviderSwitchEvent[]) =>
  events.reduce((state, event) => evolveSwitches(state, event, at), allSwitchedOn);
const command = { provider: 'sandbox', reason: 'they asked for it' };

test('a provider is switched off once, with operator, time and reason (R7.14)', () => {
  expect(switchProvider(given(), { ...command, to: 'off' })).toEqual({ events: [off] });
  expect(switchProvider(given(off), { ...command, to: 'off', reason: 'again' })).toEqual({
    events: [],
  });
  expect(given(off).get('sandbox')).toEqual({
    reason: 'they asked for it',
    by: 'operator:anna',
    since: at.createdIso,
  });
});

test('a provider is switched on only if it was off', () => {
  expect(switchProvider(given(off), { ...command, reason: 'back', to: 'on' })).toEqual({
    events: [on],
  });
  expect(switchProvider(given(off, on), { ...command, to: 'on' })).toEqual({ events: [] });
  expect(given(off, on).size).toBe(0);
});

test('a switch affects its own provider only', () => {
  expect(
    switchProvider(given(off), { ...command, provider: 'other', to: 'off' }).events,
  ).toHaveLength(1);
  expect([...given(off, { ...on, data: { provider: 'other', reason: 'x' } }).keys()]).toEqual([
    'sandbox',
  ]);
});
