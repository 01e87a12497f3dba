import { expect, it } from 'vitest';
import { createSwitches } from './switches.ts';

it('a create may go on with its step for some seconds after the switch, and no longer (R7.14)', () => {
  const switches = createSwitches();
  const atMs = Date.parse('2026-01-31T12:00:00.000Z');
  switches.take({ type: 'ProviderSwitchedOff', data: { provider: 'sandbox', reason: 'r' } }, atMs);
  expect(switches.offBefore('sandbox', atMs + 12_250)).toBeUndefined();
  expect(switches.offBefore('sandbox', atMs + 12_251)).toBe('2026-01-31T12:00:00.000Z');
  switches.take({ type: 'ProviderSwitchedOn', data: { provider: 'sandbox', reason: 'r' } }, atMs + 1);
  expect(switches.offBefore('sandbox', atMs + 60_000)).toBeUndefined();
});
