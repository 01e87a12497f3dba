import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { changesStream } from './stream.ts';
import { createWatch, type WatchOptions } from './watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watchOf(options: Partial<WatchOptions> = {}) {
  const versions = new Map<string, string>();
  const version = vi.fn<WatchOptions['version']>(async (id) => versions.get(id));
  const watch = createWatch({ version, logger: createLogger('test', 'silent'), ...options });
  const add = (id: string, seen = 'old', address = '192.0.2.1') => {
    const changes: string[] = [];
    const ended = vi.fn<() => void>();
    const remove = watch.add(id, {
      lastVersion: seen,
      address,
      changed: (next) => changes.push(next),
      ended,
    });
    return { changes, ended, remove };
  };
  return { versions, version, watch, add };
}

it('notifies each watcher of each change once', async () => {
  const { versions, add } = watchOf();
  versions.set('a', 'old').set('b', 'old');
  const [one, other, elsewhere] = [add('a'), add('a'), add('b')];
  await vi.advanceTimersByTimeAsync(3_000);
  expect(one.changes).toEqual([]);
  versions.set('a', 'new');
  await vi.advanceTimersByTimeAsync(3_000);
  expect([one.changes, other.changes, elsewhere.changes]).toEqual([['new'], ['new'], []]);
});

it('notifies of a change between the page and its watch', async () => {
  const { versions, add } = watchOf();
  versions.set('a', 'new');
  const late = add('a', 'old');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(late.changes).toEqual(['new']);
});

it('reads once a second for each operation with watchers, and not at all without', async () => {
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

it('waits for a slow store instead of reading again', async () => {
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

it('continues when the store is available again', async () => {
  let unavailable = true;
  const { add } = watchOf({
    version: async () => (unavailable ? Promise.reject(new Error('unavailable')) : 'new'),
  });
  const watcher = add('a');
  await vi.advanceTimersByTimeAsync(3_000);
  unavailable = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(watcher.changes).toEqual(['new']);
});

it('an operation that can’t be read keeps no other’s watchers waiting, however many there are', async () => {
  const { add } = watchOf({
    version: async (id) => (id === 'op-0' ? Promise.reject(new Error('newer version')) : 'new'),
  });
  const all = Array.from({ length: 40 }, (_, index) => add(`op-${index}`));
  await vi.advanceTimersByTimeAsync(1_000);
  const notified = all.map(({ changes }) => changes.length);
  expect(notified).toEqual([0, ...Array.from({ length: 39 }, () => 1)]);
});

it('has places for so many of one operation and of all, and gives them again', () => {
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

it('has places for so many of one address, and others for others', () => {
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

it('ends every watch when the service stops', () => {
  const { watch, add } = watchOf();
  const { ended } = add('a');
  watch.stop();
  expect(ended).toHaveBeenCalledOnce();
  expect(add('a').remove).toBeUndefined();
});

it('streams changes and signs of life, and gives its place back when it is given up or too old', async () => {
  const { versions, watch } = watchOf();
  versions.set('a', 'new');
  const stream = changesStream(watch, {
    operationId: 'a',
    lastVersion: 'old',
    address: '192.0.2.1',
  });
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  expect(await next()).toBe('retry: 3000\n\n');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await next()).toBe('event: changed\ndata: new\n\n');
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await next()).toBe(':\n\n');
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(watch.count()).toBe(0);

  const given = changesStream(watch, {
    operationId: 'a',
    lastVersion: 'new',
    address: '192.0.2.1',
  });
  expect(watch.count()).toBe(1);
  await given?.cancel();
  expect(watch.count()).toBe(0);
});
