import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { BackupDamage, openSegment, type Segment } from './segment.ts';

/** The part of a store of files that a copy needs. */
export type BackupStore = ErasableReceiptStore;

const folder = 'log';
const digits = 12;
/** Objects that are read before they are needed: a bucket answers in tens of milliseconds. */
const readAhead = 4;

export const segmentName = (sequence: number): string =>
  `${folder}/${String(sequence).padStart(digits, '0')}`;

const pattern = new RegExp(`^[0-9]{${digits}}$`);

const has = async (store: BackupStore, sequence: number): Promise<boolean> =>
  (await store.storedAtMs(segmentName(sequence))) !== undefined;

/** @throws BackupDamage if the name is none of a segment */
function sequenceIn(name: string): number {
  if (!pattern.test(name)) throw new BackupDamage(`${folder}/${name} is no object of a copy`);
  return Number(name);
}

const missing = (sequence: number, later: number) =>
  new BackupDamage(`${segmentName(sequence)} is missing, but ${segmentName(later)} is there`);

/** The number of segments. @throws BackupDamage if one before the last is missing */
export async function countSegments(store: BackupStore): Promise<number> {
  let [count, last] = [0, 0];
  for await (const name of store.names(folder)) {
    count += 1;
    last = Math.max(last, sequenceIn(name));
  }
  if (count === last) return count;
  for (let sequence = 1; sequence < last; sequence += 1)
    if (!(await has(store, sequence))) throw missing(sequence, last);
  // One was written while they were counted.
  return last;
}

/**
 * The number of the newest segment, without a list of all: a copy has tens of thousands for each
 * day. Whether one before it is missing only `countSegments` determines.
 * @param known the number of one that is known to be there
 * @throws BackupDamage if there are others after a gap
 */
export async function findLastSegment(store: BackupStore, known = 0): Promise<number> {
  for (let from = known; ;) {
    const last = await searchLast(store, from);
    // After the known one only this process has written, and without a gap.
    if (known > 0) return last;
    const later = await anyAfter(store, last);
    if (later === undefined) return last;
    // Another process may have added it since.
    if (!(await has(store, last + 1))) throw missing(last + 1, later);
    from = last;
  }
}

/** By doubled steps, and then by halves. */
async function searchLast(store: BackupStore, from: number): Promise<number> {
  let [present, step] = [from, 1];
  while (await has(store, present + step)) {
    present += step;
    step *= 2;
  }
  let absent = present + step;
  while (absent - present > 1) {
    const middle = Math.floor((present + absent) / 2);
    if (await has(store, middle)) present = middle;
    else absent = middle;
  }
  return present;
}

async function anyAfter(store: BackupStore, last: number): Promise<number | undefined> {
  const after = last === 0 ? '' : String(last).padStart(digits, '0');
  for await (const name of store.names(folder, after)) return sequenceIn(name);
  return undefined;
}

/** One segment, by its own hash. @throws BackupDamage if it is missing or damaged */
export async function loadSegment(store: BackupStore, sequence: number): Promise<Segment> {
  const name = segmentName(sequence);
  const bytes = await store.get(name);
  if (bytes === undefined) throw new BackupDamage(`${name} is missing`);
  const segment = openSegment(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (segment.header.sequence !== sequence)
    throw new BackupDamage(
      `${name} was swapped: it is the object ${segmentName(segment.header.sequence)}`,
    );
  return segment;
}

/** Segments in order, each verified against the one before it. @throws BackupDamage */
export async function* readSegments(
  store: BackupStore,
  { from = 1, count }: { from?: number; count: number },
): AsyncGenerator<Segment> {
  const ahead: Promise<Segment>[] = [];
  let previous = from > 1 ? await loadSegment(store, from - 1) : undefined;
  for (let sequence = from; sequence <= count; sequence += 1) {
    while (ahead.length < readAhead && sequence + ahead.length <= count) {
      const loading = loadSegment(store, sequence + ahead.length);
      loading.catch(() => undefined);
      ahead.push(loading);
    }
    const segment = await (ahead.shift() as Promise<Segment>);
    if (previous && segment.header.previous !== previous.hash)
      throw new BackupDamage(
        `${segmentName(sequence)} does not follow ${segmentName(sequence - 1)}: one of them is of another copy`,
      );
    if (previous && segment.header.first_position <= previous.header.last_position)
      throw new BackupDamage(`${segmentName(sequence)} repeats what is before it`);
    previous = segment;
    yield segment;
  }
}
