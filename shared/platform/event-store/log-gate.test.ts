import { expect, it } from 'vitest';
import { beginsWithinMs, createLogGate, LogIsClosed, openForMs } from './log-gate.ts';

function useGate() {
  const log = { closed: false, storeMs: undefined as number | undefined, reads: 0, durationMs: 0 };
  const clock = { ms: 0 };
  const changes: boolean[] = [];
  const gate = createLogGate(
    async () => {
      log.reads += 1;
      const { closed, storeMs } = log;
      clock.ms += log.durationMs;
      return { closed, storeMs };
    },
    { now: () => clock.ms, onChange: (closed) => changes.push(closed) },
  );
  return { gate, log, clock, changes };
}

it('reads the log before the first append, then once a second (R17.14)', async () => {
  const { gate, log, clock } = useGate();
  for (clock.ms = 0; clock.ms < 10_000; clock.ms += 100) await gate.pass();
  expect(log.reads).toBeGreaterThanOrEqual(9);
  expect(log.reads).toBeLessThanOrEqual(11);
});

it('rejects appends after a close, and accepts them after a reopen (R17.14)', async () => {
  const { gate, log, clock, changes } = useGate();
  await gate.pass();
  log.closed = true;
  clock.ms = openForMs;
  await expect(gate.pass()).rejects.toThrow(LogIsClosed);
  expect(gate.isClosed()).toBe(true);
  log.closed = false;
  clock.ms += 1_000;
  expect(gate.isClosed()).toBe(true);
  await Promise.resolve();
  await gate.pass();
  expect(gate.isClosed()).toBe(false);
  expect(changes).toEqual([true, false]);
});

it('returns the deadline of an append by the store’s clock (R17.14)', async () => {
  const { gate, log, clock } = useGate();
  expect(await gate.pass()).toBeUndefined();
  log.storeMs = 1_700_000_000_000;
  clock.ms = openForMs;
  expect(await gate.pass()).toBe(log.storeMs + beginsWithinMs);
  clock.ms += openForMs - 1;
  expect(await gate.pass()).toBe(log.storeMs + beginsWithinMs);
});

it('ignores a response that took longer than it is valid (R17.14)', async () => {
  const { gate, log } = useGate();
  log.durationMs = openForMs;
  await expect(gate.pass()).rejects.toThrow('too slowly');
  log.durationMs = 1;
  await gate.pass();
});

it('lets no append pass while the log cannot be read', async () => {
  const gate = createLogGate(() => Promise.reject(new Error('no answer')));
  await expect(gate.pass()).rejects.toThrow('no answer');
  expect(gate.isClosed()).toBe(false);
});
