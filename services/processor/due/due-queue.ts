import type { LogItem } from '#shared/platform/event-store/index.ts';
import { MinHeap } from './min-heap.ts';
import { workIn, type WorkSchedule, type Work } from './work-in.ts';

/** A stream that may have due work: an operation, or the late facts of one. */
export type DueRow = {
  /** `operation-<operation_id>` or `late-<operation_id>`. */
  stream: string;
  /** When it is due, in epoch milliseconds. */
  dueMs: number;
  /**
   * The time of the stream's last event, or of the provider's last response about it, in epoch
   * milliseconds.
   */
  lastActivityMs: number;
  /** The newest revision seen of it; older events are ignored. */
  revision: number;
  /** Polls of the provider in a row without a change. */
  pollsWithoutChange: number;
  /** Failures in a row. */
  tries: number;
  /** Work done and recorded outside of the stream: the keys of ledger entries, and `overcharge`. */
  done: readonly string[];
  error?: string | undefined;
  /** The provider that the next step needs, if it is not configured. */
  waitsFor?: string | undefined;
  /** The provider of the newest attempt, until work on it begins; not saved for the next leader. */
  provider?: string | undefined;
};

/** The result of work on a stream; without `next` nothing more is due. */
export type WorkResult = {
  revision: number;
  /** What went wrong, if a step failed. */
  failure?: string | undefined;
  next?: Omit<DueRow, 'stream' | 'revision'>;
};

/** The changes to save: rows, and streams that have none any more. */
type Changes = { changed: DueRow[]; removed: string[] };

/** Which streams are due, and when. Built from the log, in the memory of the leader. */
export class DueQueue {
  readonly #rows = new Map<string, DueRow>();
  /** Streams that are being worked on. */
  readonly #claimed = new Set<string>();
  /** By due time. An entry is skipped if its stream is no longer due at that time. */
  readonly #order = new MinHeap<string>();
  /** Streams whose row differs from what was saved last. */
  readonly #changed = new Set<string>();
  readonly #saved = new Set<string>();

  /** `saved`: the rows that the previous leader saved. */
  constructor(saved: Iterable<DueRow> = []) {
    for (const row of saved) {
      this.#put(row);
      this.#saved.add(row.stream);
    }
    this.#changed.clear();
  }

  get size(): number {
    return this.#rows.size;
  }

  rows(): DueRow[] {
    return [...this.#rows.values()];
  }

  /** Updates the due work from a batch of the log. Revisions that were seen before are ignored. */
  take(batch: readonly LogItem[], plan: WorkSchedule): void {
    for (const item of batch) {
      if (item.kind !== 'event') continue;
      const work = workIn(item.event, plan, this.#rows.get(item.event.stream)?.provider);
      if (work?.kind === 'moved') this.#applyEvent(work);
      if (work?.kind === 'done') this.#mark(work.stream, [work.done]);
    }
  }

  /** The longest overdue first. A claimed stream can't be claimed again until it is released. */
  claim(limit: number, nowMs: number): DueRow[] {
    const claims: DueRow[] = [];
    while (claims.length < limit && this.#order.leastKey() <= nowMs) {
      const { key, value: stream } = this.#order.pop();
      const row = this.#rows.get(stream);
      // Rescheduled or claimed: it has another entry in the order, or gets one when it is released.
      if (row?.dueMs !== key || this.#claimed.has(stream)) continue;
      this.#claimed.add(stream);
      claims.push(row);
    }
    return claims;
  }

  /** Ends the work on a stream. If newer events came in between, they decide when it is due. */
  release({ stream }: Pick<DueRow, 'stream'>, { revision, next }: WorkResult): void {
    this.#claimed.delete(stream);
    const row = this.#rows.get(stream);
    if (!row) return;
    this.#rows.delete(stream);
    this.#changed.add(stream);
    const done = union(row.done, next?.done ?? []);
    if (row.revision > revision) this.#put({ ...row, done });
    else if (next) this.#put({ ...next, stream, revision, done });
  }

  /** When the next stream is due, in epoch milliseconds; may be too early, never too late. */
  nextDueMs(): number {
    return this.#order.leastKey();
  }

  /** How many streams are overdue, and for how long the oldest. */
  overdue(nowMs: number): { streams: number; oldestAgeMs: number } {
    const due = [...this.#rows.values()].filter(({ dueMs }) => dueMs <= nowMs);
    const oldestMs = due.reduce((oldest, { dueMs }) => Math.min(oldest, dueMs), nowMs);
    return { streams: due.length, oldestAgeMs: nowMs - oldestMs };
  }

  /** How many streams wait for each provider that is not configured. */
  waiting(): Map<string, number> {
    const waiting = new Map<string, number>();
    for (const { waitsFor } of this.#rows.values())
      if (waitsFor !== undefined) waiting.set(waitsFor, (waiting.get(waitsFor) ?? 0) + 1);
    return waiting;
  }

  /** The rows that differ from the last save, once: then call `markSaved` or `putBack`. */
  takeChanges(): Changes {
    const changed: DueRow[] = [];
    const removed: string[] = [];
    for (const stream of this.#changed) {
      const row = this.#rows.get(stream);
      if (row) changed.push(row);
      else if (this.#saved.has(stream)) removed.push(stream);
    }
    this.#changed.clear();
    return { changed, removed };
  }

  /** The changes are saved. */
  markSaved({ changed, removed }: Changes): void {
    for (const { stream } of changed) this.#saved.add(stream);
    for (const stream of removed) this.#saved.delete(stream);
  }

  /** The changes could not be saved: the next ones include these streams again. */
  putBack({ changed, removed }: Changes): void {
    for (const { stream } of changed) this.#changed.add(stream);
    for (const stream of removed) this.#changed.add(stream);
  }

  #applyEvent({
    stream,
    dueMs,
    lastActivityMs,
    revision,
    provider,
  }: Extract<Work, { kind: 'moved' }>): void {
    const row = this.#rows.get(stream);
    if (row && row.revision >= revision) return;
    const withProvider = { provider: provider ?? row?.provider };
    if (dueMs !== undefined)
      this.#put({
        stream,
        dueMs,
        lastActivityMs,
        revision,
        pollsWithoutChange: 0,
        tries: 0,
        done: row?.done ?? [],
        ...withProvider,
      });
    else if (row)
      this.#put({ ...row, lastActivityMs, revision, pollsWithoutChange: 0, ...withProvider });
  }

  #mark(stream: string, marks: readonly string[]): void {
    const row = this.#rows.get(stream);
    if (row) this.#put({ ...row, done: union(row.done, marks) });
  }

  #put(row: DueRow): void {
    const { stream, dueMs } = row;
    const previous = this.#rows.get(stream);
    this.#rows.set(stream, row);
    this.#changed.add(stream);
    if (previous?.dueMs !== dueMs) this.#order.push(dueMs, stream);
  }
}

const union = (left: readonly string[], right: readonly string[]) => [
  ...new Set([...left, ...right]),
];
