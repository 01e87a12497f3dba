import { expect, it } from 'vitest';
import { encodeSegment, type Segment } from './segment.ts';
import { countSegments, findLastSegment, segmentName, type BackupStore } from './segments.ts';
import { eventAt } from './testing/raw-events.ts';
import { openWriter } from './writer.ts';

/** A target with this many objects, of which only the last has bytes, but without these. */
function createTarget(count: number, last: Segment | undefined, without: readonly number[] = []) {
  const calls = { probes: 0, names: 0 };
  const has = (sequence: number) =>
    sequence >= 1 && sequence <= count && !without.includes(sequence);
  const store: Pick<BackupStore, 'get' | 'names' | 'storedAtMs'> = {
    get: (key) => Promise.resolve(key === segmentName(count) ? last?.bytes : undefined),
    storedAtMs: (key) => {
      calls.probes += 1;
      return Promise.resolve(has(Number(key.split('/')[1])) ? 1 : undefined);
    },
    names: async function* (_folder, after = '0') {
      for (let sequence = Number(after) + 1; sequence <= count; sequence += 1) {
        calls.names += 1;
        if (has(sequence)) yield await Promise.resolve(segmentName(sequence).split('/')[1] ?? '');
      }
    },
  };
  return { calls, store: store as BackupStore };
}

const lock = { isHeld: () => Promise.resolve(true) };
const year = 365 * 43_000;

async function segmentAt(sequence: number): Promise<Segment> {
  const first = await encodeSegment([eventAt(7)], { previous: 'copy', writtenAt: new Date(0) });
  const header = { ...first.header, sequence: sequence - 1 };
  return encodeSegment([eventAt(7)], { previous: { ...first, header }, writtenAt: new Date(0) });
}

it('continues a copy of any size without a list of its objects (R26.2)', async () => {
  const { calls, store } = createTarget(year, await segmentAt(year));
  const writer = await openWriter(store, lock);
  expect(writer.last()?.header.sequence).toBe(year);
  expect(calls.names).toBe(0);
  expect(calls.probes).toBeLessThan(60);
  calls.probes = 0;
  // A second attempt, after one more segment took effect late.
  const more = createTarget(year + 1, await segmentAt(year + 1));
  expect((await openWriter(more.store, lock, year)).last()?.header.sequence).toBe(year + 1);
  expect(more.calls).toEqual({ probes: 2 + 1, names: 0 });
});

it('finds the end of copies of every size, and no end before a gap (R26.3)', async () => {
  for (let count = 0; count <= 40; count += 1) {
    expect(await findLastSegment(createTarget(count, undefined).store)).toBe(count);
    for (let gap = 1; gap < count; gap += 1) {
      const { store } = createTarget(count, undefined, [gap]);
      const found = await findLastSegment(store).catch((error: Error) => error.message);
      expect([
        count,
        `${segmentName(gap)} is missing, but ${segmentName(gap + 1)} is there`,
      ]).toContain(found);
      await expect(countSegments(store)).rejects.toThrow(`${segmentName(gap)} is missing`);
    }
  }
});
