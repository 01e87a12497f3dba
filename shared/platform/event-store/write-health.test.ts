import { expect, it } from 'vitest';
import type { AppendOutcome, AppendRequest, EventStore } from './types.ts';
import { watchAppends } from './write-health.ts';

const request: AppendRequest = { stream: 's', expectedRevision: -1, events: [] };

function setUp() {
  const clock = { ms: 0 };
  const outcomes: AppendOutcome[] = [];
  const append = async () => outcomes.shift() ?? { outcome: 'appended', revision: 0, position: 0n };
  const { store, failing } = watchAppends({ append } as unknown as EventStore, {
    memoryMs: 1_000,
    now: () => clock.ms,
  });
  return {
    clock,
    failing,
    append: (outcome: AppendOutcome) => (outcomes.push(outcome), store.append(request)),
  };
}

it('reports failing from an unknown outcome until the next known one', async () => {
  const { failing, append } = setUp();
  expect(failing()).toBe(false);
  await append({ outcome: 'unknown', cause: 'disk' });
  expect(failing()).toBe(true);
  await append({ outcome: 'conflict', actualRevision: 3 });
  expect(failing()).toBe(false);
});

it('stops reporting failing after a while, so that an append is tried again', async () => {
  const { clock, failing, append } = setUp();
  await append({ outcome: 'unknown', cause: 'disk' });
  clock.ms = 999;
  expect(failing()).toBe(true);
  clock.ms = 1_000;
  expect(failing()).toBe(false);
});
