import { expect, it } from 'vitest';
import { beginsWithinMs, createLogGate, LogIsClosed, openForMs } from './log-gate.ts';

function useGate() {
  const log = {
    newest: undefined as string | undefined,
    storeMs: undefined as number | undefined,
    reads: 0,
    takesMs: 0,
  };
  const clock = { ms: 0 };
  const changes: boolean[] = [];
  const gate = createLogGate(
    async () => {
      log.reads += 1;
      const { newest, storeMs } = log;
      clock.ms += log.takesMs;
      return { newest, storeMs };
    },
    { now: () => clock.ms, onChange: (closed) => changes.push(closed) },
  );
  return { gate, log, clock, changes };
}

it('reads the log before the first append, and then once a second (R17.14)', async () => {
  const { gate, log, clock } = useGate();
  for (clock.ms = 0; clock.ms < 10_000; clock.ms += 100) await gate.pass();
  expect(log.reads).toBeGreaterThanOrEqual(9);
  expect(log.reads).toBeLessThanOrEqual(11);
});

it('refuses appends once an answer is too old, and after a move that was given up lets them pass (R17.14)', async () => {
  const { gate, log, clock, changes } = useGate();
  await gate.pass();
  log.newest = 'LogClosed';
  clock.ms = openForMs;
  await expect(gate.pass()).rejects.toThrow(LogIsClosed);
  expect(gate.isClosed()).toBe(true);
  log.newest = 'LogReopened';
  clock.ms += 1_000;
  expect(gate.isClosed()).toBe(true);
  await Promise.resolve();
  await gate.pass();
  expect(gate.isClosed()).toBe(false);
  expect(changes).toEqual([true, false]);
});

it('returns the deadline of an append, by the store’s own clock (R17.14)', async () => {
  const { gate, log, clock } = useGate();
  expect(await gate.pass()).toBeUndefined();
  log.storeMs = 1_700_000_000_000;
  clock.ms = openForMs;
  expect(await gate.pass()).toBe(log.storeMs + beginsWithinMs);
  clock.ms += openForMs - 1;
  expect(await gate.pass()).toBe(log.storeMs + beginsWithinMs);
});

it('does not go by an answer that took longer than it counts (R17.14)', async () => {
  const { gate, log } = useGate();
  log.takesMs = openForMs;
  await expect(gate.pass()).rejects.toThrow('too slowly');
  log.takesMs = 1;
  await gate.pass();
});

it('lets nothing pass while the log can not be read', async () => {
  const gate = createLogGate(() => Promise.reject(new Error('no answer')));
  await expect(gate.pass()).rejects.toThrow('no answer');
  expect(gate.isClosed()).toBe(false);
});
