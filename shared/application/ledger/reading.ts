import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, ReadRequest, StoredEvent } from '#shared/platform/event-store/index.ts';
import { remember, applyPosted, type LedgerMemory, type Sizes } from './memory.ts';

export type LedgerSource = {
  store: Pick<EventStore, 'read'>;
  stream: string;
  deadlineMs: number;
  sizes: Sizes;
};

/** If more entries than this are missing, the newest page is read instead. */
const maxBehind = 4_096;
/** A follower node may not have the entries yet that caused a conflict. */
const maxEmptyReads = 20;

/** The store did not answer; nothing was changed. */
export class ReadFailed extends Error {}

/** @throws ReadFailed */
export async function readLedgerEvents(
  source: LedgerSource,
  request: ReadRequest,
): Promise<StoredEvent[]> {
  const { store, stream, deadlineMs } = source;
  return store.read(stream, { ...request, deadlineMs }).catch((cause: unknown) => {
    throw new ReadFailed(`${stream} could not be read`, { cause });
  });
}

/** @throws ReadFailed, LedgerInconsistent */
export async function loadMemory(source: LedgerSource): Promise<LedgerMemory> {
  return remember(
    await readLedgerEvents(source, { direction: 'backwards', maxCount: source.sizes.firstPage }),
    source.sizes,
  );
}

/**
 * The memory, brought up to the revision that a conflict reported.
 * @throws ReadFailed when the store does not answer or does not have that revision in time;
 * LedgerInconsistent
 */
export async function catchUp(
  source: LedgerSource,
  memory: LedgerMemory,
  revision: number,
): Promise<LedgerMemory> {
  if (revision - memory.position.revision > maxBehind) return loadMemory(source);
  const target = Math.max(revision, memory.position.revision + 1);
  for (let empty = 0; memory.position.revision < target;) {
    const fromRevision = memory.position.revision + 1;
    const events = await readLedgerEvents(source, { fromRevision, maxCount: source.sizes.page });
    for (const event of events) applyPosted(memory, event);
    if (events.length > 0) continue;
    empty += 1;
    if (empty > maxEmptyReads)
      throw new ReadFailed(`${source.stream} does not show revision ${target}`);
    await delay(10 * empty);
  }
  return memory;
}

/**
 * The memory, brought up to the store's newest entry. It is needed before a refusal that depends on
 * the balance, because a refusal appends nothing that could conflict with others' entries. @throws
 * ReadFailed, LedgerInconsistent
 */
export async function refresh(source: LedgerSource, memory: LedgerMemory): Promise<LedgerMemory> {
  const fromRevision = memory.position.revision + 1;
  const events = await readLedgerEvents(source, { fromRevision, maxCount: source.sizes.page });
  if (events.length === source.sizes.page) return loadMemory(source);
  for (const event of events) applyPosted(memory, event);
  return memory;
}
