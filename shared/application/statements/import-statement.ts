import { createHash } from 'node:crypto';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { chunksOf, nextImport } from '#shared/domain/statements/decide.ts';
import {
  statementEventSchemas,
  statementStream,
  type StatementEvent,
  type StatementOf,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createYieldTurns } from '#shared/platform/loop/yield-loop.ts';
import { toNewEvent } from '../commands/new-events.ts';
import type { Origin } from '../commands/origin.ts';
import { dayAfter } from './days.ts';
import { readStatementState } from './read-state.ts';

export type StatementToImport = {
  of: StatementOf;
  source: 'provider' | 'file';
  /** In their order, from line 1. */
  lines: readonly StoredLine[];
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};

export type ImportOutcome =
  | { outcome: 'imported' | 'unchanged'; import: number; lines: number }
  /** Another import of this statement was recorded meanwhile: nothing of this one counts. */
  | { outcome: 'busy' }
  /**
   * `day_not_over`: a statement covers a whole day. `name_invalid`: a name has a dot, which
   * separates the names in a stream's name.
   */
  | { outcome: 'refused'; code: 'day_not_over' | 'name_invalid' }
  /** It is unknown whether the log has it: it counts as a whole or not at all. */
  | { outcome: 'undecided'; cause: unknown };

type ImportOptions = {
  store: Pick<EventStore, 'read' | 'append'>;
  origin: Origin;
  /** An unfinished import is abandoned and does not count. */
  signal?: AbortSignal;
  now?: () => number;
};

/** Why a statement can't be imported, regardless of its content. */
export function checkStatement({ provider, account, day }: StatementOf, nowMs = Date.now()) {
  if (`${provider}${account}`.includes('.')) return 'name_invalid';
  return Date.parse(dayAfter(day)) > nowMs ? 'day_not_over' : undefined;
}

/**
 * Imports a statement: its lines in as many appends as needed, then the event that completes it.
 * Each append expects the revision of the previous one, so that of two concurrent imports one
 * completes. An interrupted import does not count.
 */
export async function importStatement(
  { store, origin, signal, now = Date.now }: ImportOptions,
  input: StatementToImport,
): Promise<ImportOutcome> {
  const { of, lines } = input;
  const code = checkStatement(of, now());
  if (code) return { outcome: 'refused', code };
  const stream = statementStream(of);
  const sums = await computeSums(input);
  const { digest } = sums;
  const read = async () => readStatementState(store, of).catch((cause: unknown) => ({ cause }));
  const state = await read();
  if ('cause' in state) return { outcome: 'undecided', cause: state.cause };
  const number = nextImport(state, digest);
  const unchanged = (imported: typeof state.imported): ImportOutcome | undefined =>
    imported?.digest === digest
      ? { outcome: 'unchanged', import: imported.import, lines: imported.lines }
      : undefined;
  if (number === undefined) return unchanged(state.imported) ?? { outcome: 'busy' };
  const end = importedEvent(input, number, sums);
  let revision = state.revision;
  for (const event of eventsOf(input, number, end)) {
    if (signal?.aborted) return { outcome: 'undecided', cause: signal.reason };
    const events = [toNewEvent(event, origin)];
    const appended = await store.append({ stream, expectedRevision: revision, events });
    if (appended.outcome === 'unknown') return { outcome: 'undecided', cause: appended.cause };
    if (appended.outcome === 'conflict') {
      const after = await read();
      return ('cause' in after ? undefined : unchanged(after.imported)) ?? { outcome: 'busy' };
    }
    ({ revision } = appended);
  }
  return { outcome: 'imported', import: number, lines: lines.length };
}

function* eventsOf(
  { of, lines }: StatementToImport,
  number: number,
  end: StatementEvent,
): Generator<StatementEvent> {
  for (const chunk of chunksOf(lines))
    yield { type: 'StatementLinesRead', data: { ...of, import: number, lines: chunk } };
  yield end;
}

/**
 * @throws if no table could hold it, before anything is appended, because the log could not be
 *   corrected
 */
function importedEvent(
  { of, source, lines, openingBalance, closingBalance }: StatementToImport,
  number: number,
  sums: Sums,
): StatementEvent {
  const data = statementEventSchemas.StatementImported.parse({
    ...of,
    import: number,
    source,
    lines: lines.length,
    total_in: sums.in,
    total_out: sums.out,
    opening_balance: openingBalance,
    closing_balance: closingBalance,
    digest: sums.digest,
  });
  return { type: 'StatementImported', data };
}

type Sums = Record<StoredLine['direction'] | 'digest', string>;

/**
 * The totals, and a digest of the content that is independent of the source: each line's fields in
 * a fixed order, one line each. It yields to the event loop.
 */
export async function computeSums({
  lines,
  openingBalance = '',
  closingBalance = '',
}: Pick<StatementToImport, 'lines' | 'openingBalance' | 'closingBalance'>): Promise<Sums> {
  const yieldTurn = createYieldTurns();
  const digest = createHash('sha256');
  const moved = { in: 0n, out: 0n };
  for (const line of lines) {
    await yieldTurn();
    moved[line.direction] += toMinor(line.amount);
    digest.update(`${digestFields(line)}\n`);
  }
  digest.update(`${openingBalance}\n${closingBalance}`);
  return { in: fromMinor(moved.in), out: fromMinor(moved.out), digest: digest.digest('hex') };
}

/** The fields of a line that the digest covers. */
export const digestFields = (line: StoredLine): string =>
  JSON.stringify([
    line.line,
    line.kind,
    line.direction,
    line.leg_id,
    line.of_leg_id ?? null,
    line.operation_id ?? null,
    line.attempt ?? null,
    line.amount,
    line.completed_at,
  ]);
