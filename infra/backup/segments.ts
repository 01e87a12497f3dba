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

/** The number of segments. @throws BackupDamage if one before the last is missing */
export async function countSegments(store: BackupStore): Promise<number> {
  const names = (await store.list(folder)).map(({ name }) => `${folder}/${name}`).toSorted();
  const pattern = new RegExp(`^${folder}/[0-9]{${digits}}$`);
  const foreign = names.find((name) => !pattern.test(name));
  if (foreign !== undefined) throw new BackupDamage(`${foreign} is no object of a copy`);
  for (const [index, name] of names.entries())
    if (name !== segmentName(index + 1))
      throw new BackupDamage(`${segmentName(index + 1)} is missing, but ${name} is there`);
  return names.length;
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
