import type { LogItem } from '#shared/platform/event-store/index.ts';
import { MinHeap } from './min-heap.ts';
import { workIn, type LookPlan, type Work } from './work-in.ts';

/** A stream that may owe something: an operation, or what came for one after its end. */
export type DueRow = {
  /** `operation-<operation_id>` or `late-<operation_id>`. */
  stream: string;
  /** When to look at it, in epoch milliseconds. */
  dueMs: number;
  /** When the stream last moved, or its provider last answered a question about it, in epoch milliseconds. */
  heardMs: number;
  /** The newest revision that was seen of it: older news changes nothing. */
  revision: number;
  /** Questions in a row that brought nothing new. */
  asks: number;
  /** Failures in a row. */
  tries: number;
  /** What it owed and what stands elsewhere by now: the keys of ledger entries, and `overcharge`. */
  done: readonly string[];
  error?: string | undefined;
  /** The provider that is not configured, and without which it comes no further. */
  waitsFor?: string | undefined;
  /** Of the newest attempt, until the first look: not kept, and then not known. */
  provider?: string | undefined;
};

/** What a look found; without `next` the stream owes nothing more. */
export type Verdict = {
  revision: number;
  next?: Omit<DueRow, 'stream' | 'revision'>;
};

/** Which streams to look at, and when. Made from the log; in the memory of the one process that leads. */
export class DueQueue {
  readonly #rows = new Map<string, DueRow>();
  /** Looks under way: nobody else begins one. */
  readonly #claimed = new Set<string>();
  /** By time; what is no longer due then is passed over. */
  readonly #order = new MinHeap<string>();
  /** Streams whose row is not as it was kept last. */
  readonly #changed = new Set<string>();
  readonly #kept = new Set<string>();

  /** `kept`: as a former leader left it. */
  constructor(kept: Iterable<DueRow> = []) {
    for (const row of kept) {
      this.#put(row);
      this.#kept.add(row.stream);
    }
    this.#changed.clear();
  }

  get size(): number {
    return this.#rows.size;
  }

  /** What a batch of the log says of due work. News of a newer revision counts, older news changes nothing. */
  take(batch: readonly LogItem[], plan: LookPlan): void {
    for (const item of batch) {
      if (item.kind !== 'event') continue;
      const work = workIn(item.event, plan, this.#rows.get(item.event.stream)?.provider);
      if (work?.kind === 'look') this.#hear(work);
      if (work?.kind === 'done') this.#mark(work.stream, [work.done]);
    }
  }

  /** The longest overdue first. Each is looked at until it is released. */
  claim(limit: number, nowMs: number): DueRow[] {
    const claims: DueRow[] = [];
    while (claims.length < limit && this.#order.leastKey() <= nowMs) {
      const { key, value: stream } = this.#order.pop();
      const row = this.#rows.get(stream);
      // Moved meanwhile, or being looked at: it stands in the order once more, or comes back to it.
      if (row?.dueMs !== key || this.#claimed.has(stream)) continue;
      this.#claimed.add(stream);
      claims.push(row);
    }
    return claims;
  }

  /** Ends a look. Where the log brought news meanwhile, they count. */
  release({ stream }: Pick<DueRow, 'stream'>, { revision, next }: Verdict): void {
    this.#claimed.delete(stream);
    const row = this.#rows.get(stream);
    if (!row) return;
    this.#rows.delete(stream);
    this.#changed.add(stream);
    const done = union(row.done, next?.done ?? []);
    if (row.revision > revision) this.#put({ ...row, done });
    else if (next) this.#put({ ...next, stream, revision, done });
  }

  /** When the next look is due, in epoch milliseconds; may be too early, never too late. */
  nextDueMs(): number {
    return this.#order.leastKey();
  }

  /** What is due and waits, and since when. */
  overdue(nowMs: number): { streams: number; oldestAgeMs: number } {
    const due = [...this.#rows.values()].filter(({ dueMs }) => dueMs <= nowMs);
    const oldestMs = due.reduce((oldest, { dueMs }) => Math.min(oldest, dueMs), nowMs);
    return { streams: due.length, oldestAgeMs: nowMs - oldestMs };
  }

  /** How much waits for which provider that is not configured. */
  waiting(): Map<string, number> {
    const waiting = new Map<string, number>();
    for (const { waitsFor } of this.#rows.values())
      if (waitsFor !== undefined) waiting.set(waitsFor, (waiting.get(waitsFor) ?? 0) + 1);
    return waiting;
  }

  /** What is not as it was kept last; from now on it counts as kept. */
  takeChanges(): { changed: DueRow[]; gone: string[] } {
    const changed: DueRow[] = [];
    const gone: string[] = [];
    for (const stream of this.#changed) {
      const row = this.#rows.get(stream);
      if (row) {
        changed.push(row);
        this.#kept.add(stream);
      } else if (this.#kept.delete(stream)) gone.push(stream);
    }
    this.#changed.clear();
    return { changed, gone };
  }

  #hear({ stream, dueMs, heardMs, revision, provider }: Extract<Work, { kind: 'look' }>): void {
    const row = this.#rows.get(stream);
    if (row && row.revision >= revision) return;
    const known = { provider: provider ?? row?.provider };
    if (dueMs !== undefined)
      this.#put({ stream, dueMs, heardMs, revision, asks: 0, tries: 0, done: row?.done ?? [], ...known });
    else if (row) this.#put({ ...row, heardMs, revision, asks: 0, ...known });
  }

  #mark(stream: string, marks: readonly string[]): void {
    const row = this.#rows.get(stream);
    if (row) this.#put({ ...row, done: union(row.done, marks) });
  }

  #put(row: DueRow): void {
    const { stream, dueMs } = row;
    const before = this.#rows.get(stream);
    this.#rows.set(stream, row);
    this.#changed.add(stream);
    if (before?.dueMs !== dueMs) this.#order.push(dueMs, stream);
  }
}

const union = (left: readonly string[], right: readonly string[]) => [...new Set([...left, ...right])];
