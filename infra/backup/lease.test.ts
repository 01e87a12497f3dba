import { expect, it } from 'vitest';
import { acquireLease, type BackupLock, type LeaseHost } from './lease.ts';
import { BackupRefusal } from './refusal.ts';
import { encodeSegment } from './segment.ts';
import { segmentName, type BackupStore } from './segments.ts';
import { createMemoryStore } from './testing/memory-store.ts';
import { eventAt } from './testing/raw-events.ts';
import { openWriter } from './writer.ts';

/** A machine whose clock is the test's: `tick` is one renewal, `during` what happens in a pause. */
function createHost(host: string, alive?: boolean) {
  const pauses: number[] = [];
  const timers = new Set<() => void>();
  const during = { pause: () => Promise.resolve() };
  const on: LeaseHost = {
    host,
    isAlive: () => alive,
    pause: async (ms) => {
      pauses.push(ms);
      await during.pause();
    },
    every: (_ms, run) => {
      timers.add(run);
      return () => void timers.delete(run);
    },
  };
  return { on, pauses, timers, during, tick: () => timers.forEach((run) => run()) };
}

const text = (store: ReturnType<typeof createMemoryStore>) =>
  Buffer.from(store.objects.get('lease') ?? []).toString('utf8');

/** One machine holds the lease, and was paused for so long that another one has taken over. */
async function takeOver() {
  const store = createMemoryStore();
  const [one, two] = [createHost('one'), createHost('two')];
  const first = await acquireLease(store, 'first', one.on);
  const second = await acquireLease(store, 'second', two.on);
  return { store, one, two, first, second };
}

const settled = async (lock: BackupLock) => {
  // A read after the renewals that have begun.
  for (let each = 0; each < 10; each += 1) await lock.isHeld();
};

it('takes over from another machine whose lease was not renewed for 12 s (R26.2)', async () => {
  const { two, second, store } = await takeOver();
  expect(two.pauses).toEqual([12_000]);
  expect(await second.isHeld()).toBe(true);
  await second.release();
  expect(store.objects.has('lease')).toBe(false);
});

it('is refused while the holder renews its lease (R26.2)', async () => {
  const store = createMemoryStore();
  const [one, two] = [createHost('one'), createHost('two')];
  const first = await acquireLease(store, 'first', one.on);
  two.during.pause = async () => {
    one.tick();
    await settled(first);
  };
  await expect(acquireLease(store, 'second', two.on)).rejects.toBeInstanceOf(BackupRefusal);
  expect(await first.isHeld()).toBe(true);
});

it('is lost for good once another process was seen to hold it (R26.2)', async () => {
  const { store, one, two, first, second } = await takeOver();
  const taken = text(store);
  one.tick();
  await settled(first);
  expect(text(store)).toBe(taken);
  expect(await first.isHeld()).toBe(false);
  expect(one.timers.size).toBe(0);
  two.tick();
  await settled(second);
  expect(text(store)).not.toBe(taken);
  await first.release();
  expect(await second.isHeld()).toBe(true);
  await second.release();
  await store.put('lease', Buffer.from(taken.replace('second', 'first')));
  expect(await first.isHeld()).toBe(false);
});

it('replaces a dead process of the same machine at once, and no living one (R26.2)', async () => {
  const store = createMemoryStore();
  const [living, dead] = [createHost('one', true), createHost('one', false)];
  const first = await acquireLease(store, 'first', living.on);
  await expect(acquireLease(store, 'second', living.on)).rejects.toBeInstanceOf(BackupRefusal);
  expect(await first.isHeld()).toBe(true);
  expect(await (await acquireLease(store, 'second', dead.on)).isHeld()).toBe(true);
  expect([...living.pauses, ...dead.pauses]).toEqual([]);
});

it('is refused by a store that replaces what it should only create (R26.2)', async () => {
  const store = createMemoryStore();
  const create: BackupStore['create'] = async (key, content) => {
    await store.put(key, content);
    return true;
  };
  const taking = acquireLease({ ...store, create }, 'first', createHost('one').on);
  await expect(taking).rejects.toThrow('If-None-Match');
  expect(store.objects.size).toBe(0);
});

const held = { isHeld: () => Promise.resolve(true) };

it.each([
  ['its own late write', [eventAt(2), eventAt(3)], false],
  ['other events', [eventAt(3)], true],
] as const)(
  'finds what has its next name already: %s (R26.2)',
  async (_what, [first, ...others], isRefused) => {
    const store: BackupStore = createMemoryStore();
    const writer = await openWriter(store, held);
    await writer.write([eventAt(1)]);
    const previous = writer.last() ?? '';
    const late = await encodeSegment([first, ...others], { previous, writtenAt: new Date(0) });
    await store.put(segmentName(2), late.bytes);
    const error = await writer.write([eventAt(2)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof BackupRefusal).toBe(isRefused);
  },
);

it('is refused where an object of another copy has its next name, also with the lease (R26.2)', async () => {
  const store = createMemoryStore();
  const writer = await openWriter(store, held);
  await writer.write([eventAt(1)]);
  const other = createMemoryStore();
  const second = await openWriter(other, held);
  await second.write([eventAt(1)]);
  await second.write([eventAt(2)]);
  await store.put(segmentName(2), other.objects.get(segmentName(2)) ?? Buffer.alloc(0));
  await expect(writer.write([eventAt(2)])).rejects.toBeInstanceOf(BackupRefusal);
});
