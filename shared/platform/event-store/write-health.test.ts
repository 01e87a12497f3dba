import { expect, it } from 'vitest';
import type { AppendOutcome, AppendRequest, EventStore } from './types.ts';
import { watchAppends } from './write-health.ts';

const request: AppendRequest = { stream: 's', expectedRevision: -1, events: [] };

function watched() {
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

it('appends fail from the first that came to nothing until one that did not', async () => {
  const { failing, append } = watched();
  expect(failing()).toBe(false);
  await append({ outcome: 'unknown', cause: 'disk' });
  expect(failing()).toBe(true);
  await append({ outcome: 'conflict', actualRevision: 3 });
  expect(failing()).toBe(false);
});

it('are tried again after a while: who keeps away appends nothing that could succeed', async () => {
  const { clock, failing, append } = watched();
  await append({ outcome: 'unknown', cause: 'disk' });
  clock.ms = 999;
  expect(failing()).toBe(true);
  clock.ms = 1_000;
  expect(failing()).toBe(false);
});
