import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { keysOfCommand, commandSubject } from '#shared/domain/ledger/reference.ts';
import {
  advanceCursor,
  decodeEntry,
  findIn,
  entryByKey,
  applyOlder,
  type LedgerCursor,
  type LedgerMemory,
} from './memory.ts';
import { readLedgerEvents, type LedgerSource } from './reading.ts';

type DueCommand = LedgerCommand & { dueSince: bigint };

/**
 * Beyond this number, keys are forgotten, except those of waiting commands (at most two for each
 * command).
 */
const maxCursors = 8_192;

/**
 * Whether memory is enough to tell if a command's entry is posted: it has an entry with one of the
 * command's keys, or every entry since the command was due.
 */
export function isRecorded(memory: LedgerMemory, command: DueCommand): boolean {
  const cursor = memory.cursors.get(commandSubject(command));
  const reached = (from: bigint) => from <= command.dueSince + 1n;
  return (
    reached(memory.completeFrom) ||
    (cursor !== undefined && reached(cursor.reachedFrom)) ||
    // A capture or release comes after the reserve: a memory that has the reserve has all entries
    // after it.
    keysOfCommand(command).some((key) => findIn(memory, key) !== undefined)
  );
}

/**
 * Reads one page further back, for commands whose entry may or may not be posted. The page serves
 * all commands that need it. Entries are cached up to a limit, and beyond it only those of waiting
 * commands. `from`: `newest` reads for the newest commands, until they meet the others; `oldest`
 * reads for the command that got furthest, so that it finishes even if new commands are added all
 * the time.
 * @throws ReadFailed
 */
export async function readFurther(
  source: LedgerSource,
  memory: LedgerMemory,
  { due, from }: { due: readonly DueCommand[]; from: 'newest' | 'oldest' },
): Promise<void> {
  const next = due.map((command) => seek(memory, command).nextRevision);
  if (memory.cursors.size > maxCursors) forgetOthers(memory, due);
  const fromRevision = from === 'newest' ? Math.max(...next) : Math.min(...next);
  const { page } = source.sizes;
  // Pages begin at fixed revisions, so that cursors that meet continue together.
  const maxCount = (fromRevision % page) + 1;
  const events = await readLedgerEvents(source, { direction: 'backwards', fromRevision, maxCount });
  const oldest = events.at(-1);
  if (!oldest) throw new Error(`${source.stream} has no revision ${fromRevision}, but a later one`);
  const isHere = (cursor: LedgerCursor | undefined) =>
    cursor !== undefined &&
    cursor.nextRevision <= fromRevision &&
    cursor.nextRevision >= oldest.revision;
  for (const event of events) {
    // While the page was read, the owner may have dropped the entries after it.
    const follows = event.revision === memory.completeFromRevision - 1;
    if (follows && memory.older.size < source.sizes.older) {
      applyOlder(memory, event);
      continue;
    }
    const [key, entry] = entryByKey(decodeEntry(event), event.revision);
    if (isHere(memory.cursors.get(key))) memory.foundByCursor.set(key, entry);
  }
  for (const cursor of new Set(memory.cursors.values())) {
    if (!isHere(cursor)) continue;
    cursor.nextRevision = oldest.revision - 1;
    cursor.reachedFrom = oldest.revision === 0 ? 0n : oldest.position;
  }
}

/**
 * The page to search next for a command's keys: where the last try stopped, or before the oldest
 * entry in memory.
 */
function seek(memory: LedgerMemory, command: DueCommand): LedgerCursor {
  const cursor = memory.cursors.get(commandSubject(command)) ?? {
    nextRevision: memory.completeFromRevision - 1,
    reachedFrom: memory.completeFrom,
  };
  advanceCursor(memory, cursor);
  for (const key of keysOfCommand(command)) memory.cursors.set(key, cursor);
  return cursor;
}

/**
 * All keys of a command share a cursor: where the reserve is found, its end would have been found
 * as well.
 */
function forgetOthers(memory: LedgerMemory, due: readonly DueCommand[]): void {
  const dueKeys = new Set(due.flatMap(keysOfCommand));
  for (const key of memory.cursors.keys()) {
    if (dueKeys.has(key)) continue;
    memory.cursors.delete(key);
    memory.foundByCursor.delete(key);
  }
}
