import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { changesStream } from './stream.ts';
import { createWatch, type WatchOptions } from './watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watchOf(options: Partial<WatchOptions> = {}) {
  const versions = new Map<string, string>();
  const version = vi.fn<WatchOptions['version']>(async (id) => versions.get(id));
  const watch = createWatch({ version, logger, ...options });
  const add = (id: string, seen = 'old', address = '192.0.2.1') => {
    const received: string[] = [];
    const ended = vi.fn<() => void>();
    const remove = watch.add(id, {
      lastVersion: seen,
      address,
      changed: (next) => received.push(next),
      ended,
    });
    return { received, ended, remove };
  };
  return { versions, version, watch, add };
}

it('notifies each watcher once of each change', async () => {
  const { versions, add } = watchOf();
  versions.set('a', 'old').set('b', 'old');
  const [one, other, elsewhere] = [add('a'), add('a'), add('b')];
  await vi.advanceTimersByTimeAsync(3_000);
  expect(one.received).toEqual([]);
  versions.set('a', 'new');
  await vi.advanceTimersByTimeAsync(3_000);
  expect([one.received, other.received, elsewhere.received]).toEqual([['new'], ['new'], []]);
});

it('notifies of a change between the page load and the watch', async () => {
  const { versions, add } = watchOf();
  versions.set('a', 'new');
  const late = add('a', 'old');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(late.received).toEqual(['new']);
});

it('polls each operation once a second for all its watchers, and not at all without any', async () => {
  const { versions, version, add } = watchOf();
  versions.set('a', 'old');
  const watchers = [add('a'), add('a'), add('a')];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(version).toHaveBeenCalledTimes(5);
  for (const { remove } of watchers) remove?.();
  await vi.advanceTimersByTimeAsync(1_000);
  version.mockClear();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(version).not.toHaveBeenCalled();
});

it('does not poll again while a read is pending', async () => {
  let reads = 0;
  const { add } = watchOf({
    version: () => {
      reads += 1;
      return new Promise((resolve) => setTimeout(resolve, 10_000, 'old'));
    },
  });
  add('a');
  await vi.advanceTimersByTimeAsync(10_500);
  expect(reads).toBe(1);
});

it('resumes when the store is available again', async () => {
  let unavailable = true;
  const { add } = watchOf({
    version: async () => (unavailable ? Promise.reject(new Error('unavailable')) : 'new'),
  });
  const watcher = add('a');
  await vi.advanceTimersByTimeAsync(3_000);
  unavailable = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(watcher.received).toEqual(['new']);
});

it('notifies all other watchers when one operation can’t be read', async () => {
  const { add } = watchOf({
    version: async (id) => (id === 'op-0' ? Promise.reject(new Error('newer version')) : 'new'),
  });
  const all = Array.from({ length: 40 }, (_, index) => add(`op-${index}`));
  await vi.advanceTimersByTimeAsync(1_000);
  const notified = all.map(({ received }) => received.length);
  expect(notified).toEqual([0, ...Array.from({ length: 39 }, () => 1)]);
});

it('limits watchers per operation and in total, and reuses a freed slot', () => {
  const { watch, add } = watchOf({ maxPerOperation: 2, maxWatchers: 3 });
  const first = add('a');
  expect([add('a').remove, add('a').remove].map((remove) => remove !== undefined)).toEqual([
    true,
    false,
  ]);
  expect([add('b').remove, add('b').remove].map((remove) => remove !== undefined)).toEqual([
    true,
    false,
  ]);
  first.remove?.();
  first.remove?.();
  expect(watch.count()).toBe(2);
  expect(add('b').remove).toBeDefined();
});

it('limits watchers per address, and reuses a freed slot', () => {
  const { add } = watchOf({ maxPerAddress: 2 });
  const from = (id: string, address: string) => add(id, 'old', address).remove;
  const first = from('a', '192.0.2.1');
  expect(
    [from('b', '192.0.2.1'), from('c', '192.0.2.1')].map((remove) => remove !== undefined),
  ).toEqual([true, false]);
  expect(from('c', '192.0.2.2')).toBeDefined();
  first?.();
  first?.();
  expect(
    [from('c', '192.0.2.1'), from('d', '192.0.2.1')].map((remove) => remove !== undefined),
  ).toEqual([true, false]);
});

it('ends every watch on stop(), and accepts no more', () => {
  const { watch, add } = watchOf();
  const { ended } = add('a');
  watch.stop();
  expect(ended).toHaveBeenCalledOnce();
  expect(add('a').remove).toBeUndefined();
});

it('streams changes and heartbeats, and frees its slot when it is cancelled or too old', async () => {
  const { versions, watch } = watchOf();
  versions.set('a', 'new');
  const stream = changesStream(watch, {
    operationId: 'a',
    lastVersion: 'old',
    address: '192.0.2.1',
  });
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  expect(await next()).toMatch(/^retry: [2-4]\d{3}\n\n$/);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await next()).toBe('event: changed\ndata: new\n\n');
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await next()).toBe(':\n\n');
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(watch.count()).toBe(0);

  const second = changesStream(watch, {
    operationId: 'a',
    lastVersion: 'new',
    address: '192.0.2.1',
  });
  expect(watch.count()).toBe(1);
  await second?.cancel();
  expect(watch.count()).toBe(0);
});
