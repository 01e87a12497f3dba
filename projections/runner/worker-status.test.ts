import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { shopsReadModel } from '../shops/read-model.ts';
import { WorkerStatus } from './worker-status.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const create = () => new WorkerStatus({ model: shopsReadModel, schema: 'gateway' });

it('shows a live worker as disconnected once its database has been silent for ten seconds (R16.21)', () => {
  const status = create();
  status.move('live', 1n);
  vi.advanceTimersByTime(10_000);
  expect([status.shownState, status.notReady()]).toEqual(['live', undefined]);
  vi.advanceTimersByTime(1);
  expect(status.shownState).toBe('disconnected');
  expect(status.notReady()).toContain('has lost its database');
  status.heard();
  expect([status.shownState, status.notReady()]).toEqual(['live', undefined]);
});

it('shows a worker that fails for as long as disconnected, until it is live again (R16.21)', () => {
  const status = create();
  status.move('live', 1n);
  status.trouble();
  vi.advanceTimersByTime(5_000);
  status.move('catching_up', 1n);
  vi.advanceTimersByTime(5_001);
  expect(status.shownState).toBe('disconnected');
  status.move('live', 1n);
  expect(status.shownState).toBe('live');
});

it.each(['standby', 'rebuilding', 'starting'] as const)(
  'takes no silence of one that is %s for a loss',
  (state) => {
    const status = create();
    status.move(state, undefined);
    vi.advanceTimersByTime(3_600_000);
    expect(status.shownState).toBe(state);
  },
);
