import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { keysOfCommand, subjectOf } from '#shared/domain/ledger/reference.ts';
import { advance, entryOf, findIn, known, takeUpOlder, type Cursor, type Memory } from './memory.ts';
import { readEvents, type Source } from './reading.ts';

export type Owed = LedgerCommand & { owedSince: bigint };

/** Keys beyond this are forgotten, unless they are looked for right now: at most two for each command that may wait. */
const maxSought = 8_192;

/** Whether the memory shows if a command's entry stands: it holds one of its keys, or everything since it was owed. */
export function isKnown(memory: Memory, command: Owed): boolean {
  const sought = memory.sought.get(subjectOf(command));
  const reached = (from: bigint) => from <= command.owedSince + 1n;
  return (
    reached(memory.completeFrom) ||
    (sought !== undefined && reached(sought.reachedFrom)) ||
    // A capture or release comes after the reserve, so that who remembers the reserve remembers all after it.
    keysOfCommand(command).some((key) => findIn(memory, key) !== undefined)
  );
}

/**
 * Reads one page further back, for commands of which it is not known whether their entry stands. It serves all of them
 * that stand at this page. What is read is remembered as far as there is room, and beyond it only what was asked for.
 * `from`: the newest brings those who came last to where the others are, the oldest comes to an end however many follow.
 * @throws ReadFailed
 */
export async function readFurther(
  source: Source,
  memory: Memory,
  { owed, from }: { owed: readonly Owed[]; from: 'newest' | 'oldest' },
): Promise<void> {
  const next = owed.map((command) => seek(memory, command).nextRevision);
  if (memory.sought.size > maxSought) forgetOthers(memory, owed);
  const fromRevision = from === 'newest' ? Math.max(...next) : Math.min(...next);
  const { page } = source.sizes;
  // Pages begin at the same revisions for all, so that cursors that meet go on together.
  const maxCount = (fromRevision % page) + 1;
  const events = await readEvents(source, { direction: 'backwards', fromRevision, maxCount });
  const oldest = events.at(-1);
  if (!oldest) throw new Error(`${source.stream} has no revision ${fromRevision}, but a later one`);
  const standsHere = (cursor: Cursor | undefined) =>
    cursor !== undefined && cursor.nextRevision <= fromRevision && cursor.nextRevision >= oldest.revision;
  for (const event of events) {
    // While the page was read, the owner may have dropped what it would have followed.
    const follows = event.revision === memory.completeFromRevision - 1;
    if (follows && memory.older.size < source.sizes.older) {
      takeUpOlder(memory, event);
      continue;
    }
    const [key, entry] = known(entryOf(event), event.revision);
    if (standsHere(memory.sought.get(key))) memory.found.set(key, entry);
  }
  for (const cursor of new Set(memory.sought.values())) {
    if (!standsHere(cursor)) continue;
    cursor.nextRevision = oldest.revision - 1;
    cursor.reachedFrom = oldest.revision === 0 ? 0n : oldest.position;
  }
}

/** Where a command's keys are looked for next: where the last try stopped, or before what is remembered. */
function seek(memory: Memory, command: Owed): Cursor {
  const cursor = memory.sought.get(subjectOf(command)) ?? {
    nextRevision: memory.completeFromRevision - 1,
    reachedFrom: memory.completeFrom,
  };
  advance(memory, cursor);
  for (const key of keysOfCommand(command)) memory.sought.set(key, cursor);
  return cursor;
}

/** All keys of a command go together: a reserve that is found says that its end would be as well. */
function forgetOthers(memory: Memory, owed: readonly Owed[]): void {
  const kept = new Set(owed.flatMap(keysOfCommand));
  for (const key of memory.sought.keys()) {
    if (kept.has(key)) continue;
    memory.sought.delete(key);
    memory.found.delete(key);
  }
}
