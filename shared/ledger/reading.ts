import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { keysOfCommand } from '#shared/domain/ledger/reference.ts';
import type { EventStore, ReadRequest, StoredEvent } from '#shared/event-store/index.ts';
import { entryOf, findIn, known, remember, takeUp, takeUpOlder, type Memory, type Sizes } from './memory.ts';

export type Source = { store: Pick<EventStore, 'read'>; stream: string; deadlineMs: number; sizes: Sizes };

/** Behind by more than this, the newest page is read anew instead. */
const maxBehind = 4_096;
/** A follower may not show at once what a conflict told of. */
const maxEmptyReads = 20;

/** The store did not answer: nothing is known, and nothing was done. */
export class ReadFailed extends Error {}

/** @throws ReadFailed */
export async function readEvents(source: Source, request: ReadRequest): Promise<StoredEvent[]> {
  const { store, stream, deadlineMs } = source;
  return store.read(stream, { ...request, deadlineMs }).catch((cause: unknown) => {
    throw new ReadFailed(`${stream} could not be read`, { cause });
  });
}

/** @throws ReadFailed, LedgerInconsistent */
export async function loadMemory(source: Source): Promise<Memory> {
  return remember(
    await readEvents(source, { direction: 'backwards', maxCount: source.sizes.firstPage }),
    source.sizes,
  );
}

/**
 * The memory once it knows the revision that a conflict named.
 * @throws ReadFailed when the store does not answer or does not show that revision in time; LedgerInconsistent
 */
export async function catchUp(source: Source, memory: Memory, revision: number): Promise<Memory> {
  if (revision - memory.position.revision > maxBehind) return loadMemory(source);
  const wanted = Math.max(revision, memory.position.revision + 1);
  for (let empty = 0; memory.position.revision < wanted;) {
    const fromRevision = memory.position.revision + 1;
    const events = await readEvents(source, { fromRevision, maxCount: source.sizes.page });
    for (const event of events) takeUp(memory, event);
    if (events.length > 0) continue;
    empty += 1;
    if (empty > maxEmptyReads) throw new ReadFailed(`${source.stream} does not show revision ${wanted}`);
    await delay(10 * empty);
  }
  return memory;
}

/**
 * The memory with everything that the store holds now: before a refusal that rests on the position, because a refusal
 * appends nothing that would meet the entries of others. @throws ReadFailed, LedgerInconsistent
 */
export async function refresh(source: Source, memory: Memory): Promise<Memory> {
  const fromRevision = memory.position.revision + 1;
  const events = await readEvents(source, { fromRevision, maxCount: source.sizes.page });
  if (events.length === source.sizes.page) return loadMemory(source);
  for (const event of events) takeUp(memory, event);
  return memory;
}

export type Owed = { command: LedgerCommand; owedSince: bigint };

/** Whether the memory shows if a command's entry stands: it holds one of its keys, or everything since it was owed. */
export function isKnown(
  memory: Memory,
  { command, owedSince }: Owed,
  completeFrom = memory.completeFrom,
): boolean {
  // A capture or release comes after the reserve, so that who remembers the reserve remembers all after it.
  return (
    completeFrom <= owedSince + 1n || keysOfCommand(command).some((key) => findIn(memory, key) !== undefined)
  );
}

/**
 * Reads back until it is known of each command whether its entry stands, or the deadline. Returns the log position down
 * to which that is so. What is read is remembered as far as there is room, and beyond it only what was asked for.
 */
export async function lookBack(source: Source, memory: Memory, owed: readonly Owed[]): Promise<bigint> {
  const deadline = performance.now() + source.deadlineMs;
  const wanted = new Set(owed.flatMap(({ command }) => keysOfCommand(command)));
  let reachedFrom = memory.completeFrom;
  let nextRevision = memory.completeFromRevision - 1;
  while (nextRevision >= 0 && owed.some((each) => !isKnown(memory, each, reachedFrom))) {
    const deadlineMs = deadline - performance.now();
    if (deadlineMs <= 0) return reachedFrom;
    const events = await readEvents(
      { ...source, deadlineMs },
      { direction: 'backwards', fromRevision: nextRevision, maxCount: source.sizes.page },
    );
    const oldest = events.at(-1);
    if (!oldest) throw new Error(`${source.stream} has no revision ${nextRevision}, but a later one`);
    for (const event of events) {
      if (memory.older.size < source.sizes.older) takeUpOlder(memory, event);
      else {
        const [key, entry] = known(entryOf(event), event.revision);
        if (wanted.has(key)) memory.older.set(key, entry);
      }
    }
    reachedFrom = oldest.revision === 0 ? 0n : oldest.position;
    nextRevision = oldest.revision - 1;
  }
  return reachedFrom;
}
