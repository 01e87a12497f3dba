import type { KnownEntry } from '#shared/domain/ledger/decide.ts';
import { decodeLedgerEvent, type Entry } from '#shared/domain/ledger/events.ts';
import {
  moved,
  noEntry,
  positionAfter,
  violationsAfter,
  type Position,
} from '#shared/domain/ledger/position.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/**
 * The part of a ledger that its owner caches: its totals, and by reference every entry
 * whose log position is at least `completeFrom`. There are two generations: when the newer one is
 * full, the older one is dropped.
 */
export type LedgerMemory = {
  position: Position;
  newer: Map<string, KnownEntry>;
  older: Map<string, KnownEntry>;
  newerFrom: bigint;
  completeFrom: bigint;
  /**
   * The revision of the oldest entry since which all are cached. Reading back continues before it.
   */
  completeFromRevision: number;
  newerFromRevision: number;
  /**
   * How far back single keys were searched, beyond the cached entries. The keys of one command
   * share a cursor; the entries found for them are cached as long as the cursor.
   */
  cursors: Map<string, LedgerCursor>;
  foundByCursor: Map<string, KnownEntry>;
  sizes: Sizes;
};

/**
 * Its keys were searched down to the log position `reachedFrom`; reading continues at
 * `nextRevision`.
 */
export type LedgerCursor = { nextRevision: number; reachedFrom: bigint };

/** How many entries are read at once, and cached; each takes about 200 bytes. */
export type Sizes = {
  firstPage: number;
  page: number;
  /** Entries of a generation. */
  generation: number;
  /** Entries that reading back may add to the older generation, until it is dropped. */
  older: number;
};

export const defaultSizes: Sizes = {
  firstPage: 64,
  page: 1_000,
  generation: 32_768,
  older: 65_536,
};

/** A ledger's entries are inconsistent: nothing may be decided on them. */
export class LedgerInconsistent extends Error {
  readonly stream: string;
  readonly revision: number;
  readonly violations: readonly string[];

  constructor(at: { stream: string; revision: number; violations: readonly string[] }) {
    super(`${at.stream} is inconsistent at revision ${at.revision}: ${at.violations.join('; ')}`);
    this.name = 'LedgerInconsistent';
    this.stream = at.stream;
    this.revision = at.revision;
    this.violations = at.violations;
  }
}

/** The newest page of a ledger, newest first, as a memory. @throws LedgerInconsistent */
export function remember(page: readonly StoredEvent[], sizes: Sizes): LedgerMemory {
  const events = page.toReversed();
  const oldest = events[0];
  const isComplete = oldest === undefined || oldest.revision === 0;
  const completeFrom = isComplete ? 0n : oldest.position;
  const memory: LedgerMemory = {
    position: noEntry,
    newer: new Map(),
    older: new Map(),
    newerFrom: completeFrom,
    completeFrom,
    completeFromRevision: oldest?.revision ?? 0,
    newerFromRevision: oldest?.revision ?? 0,
    cursors: new Map(),
    foundByCursor: new Map(),
    sizes,
  };
  let previous: Position | undefined = isComplete ? noEntry : undefined;
  for (const event of events) {
    const entry = decodeEntry(event);
    // The predecessor of the first entry of a page in the middle is unknown.
    if (previous) check(event, previous, entry);
    previous = positionAfter(entry, event.revision);
    memory.newer.set(...entryByKey(entry, event.revision));
  }
  memory.position = previous ?? noEntry;
  return memory;
}

/** Adds an entry after the newest one. @throws LedgerInconsistent */
export function applyPosted(memory: LedgerMemory, event: StoredEvent): void {
  const entry = decodeEntry(event);
  check(event, memory.position, entry);
  add(memory, entry, event.revision);
  evictOlder(memory, event.position);
}

/** Adds entries that were just appended; `position` is that of the last of them. */
export function applyAppended(
  memory: LedgerMemory,
  entries: readonly Entry[],
  position: bigint,
): void {
  for (const entry of entries) add(memory, entry, memory.position.revision + 1);
  evictOlder(memory, position);
}

export function findIn(memory: LedgerMemory, key: string): KnownEntry | undefined {
  return memory.newer.get(key) ?? memory.older.get(key) ?? memory.foundByCursor.get(key);
}

/** Adds an entry from before the oldest one, read on the way back. */
export function applyOlder(memory: LedgerMemory, event: StoredEvent): void {
  memory.older.set(...entryByKey(decodeEntry(event), event.revision));
  memory.completeFromRevision = event.revision;
  memory.completeFrom = event.revision === 0 ? 0n : event.position;
}

/** A cursor never points at entries that are cached anyway. */
export function advanceCursor(memory: LedgerMemory, cursor: LedgerCursor): void {
  if (cursor.nextRevision < memory.completeFromRevision) return;
  cursor.nextRevision = memory.completeFromRevision - 1;
  cursor.reachedFrom = memory.completeFrom;
}

export function decodeEntry(event: StoredEvent): Entry {
  return decodeLedgerEvent(event).data;
}

export function entryByKey(entry: Entry, revision: number): [key: string, entry: KnownEntry] {
  const reserved = entry.kind === 'reserve' ? moved(entry, 'reserved') : 0n;
  return [keyOfEntry(entry), { kind: entry.kind, revision, reserved }];
}

function add(memory: LedgerMemory, entry: Entry, revision: number): void {
  memory.newer.set(...entryByKey(entry, revision));
  memory.position = positionAfter(entry, revision);
}

/** `position`: no entry that was added so far is after it. */
function evictOlder(memory: LedgerMemory, position: bigint): void {
  if (memory.newer.size < memory.sizes.generation) return;
  // Otherwise there would be a gap between the cached entries and those the cursors have covered.
  for (const [key, cursor] of memory.cursors) {
    advanceCursor(memory, cursor);
    const entry = memory.older.get(key);
    if (entry) memory.foundByCursor.set(key, entry);
  }
  memory.older = memory.newer;
  memory.completeFrom = memory.newerFrom;
  memory.completeFromRevision = memory.newerFromRevision;
  memory.newer = new Map();
  memory.newerFrom = position + 1n;
  memory.newerFromRevision = memory.position.revision + 1;
}

function check(event: StoredEvent, previous: Position, entry: Entry): void {
  const violations = violationsAfter(previous, entry);
  if (violations.length > 0)
    throw new LedgerInconsistent({ stream: event.stream, revision: event.revision, violations });
}
