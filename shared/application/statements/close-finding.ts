import {
  closeFinding,
  type CloseDecision,
  type StatementState,
} from '#shared/domain/statements/decide.ts';
import type { FindingSays } from '#shared/domain/statements/findings.ts';
import {
  statementStream,
  type FindingDecision,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvent } from '../commands/new-events.ts';
import type { Origin } from '../commands/origin.ts';
import { readStatementState } from './read-state.ts';

export type CloseStatementFinding = {
  of: StatementOf;
  findingId: string;
  decision: FindingDecision;
  note: string;
  /** The current finding with that id; undefined if there is none. */
  finding: FindingSays | undefined;
};

export type ClosedFinding =
  /** `changed`: false if it was closed before with the same note and amounts. */
  | { outcome: 'done'; changed: boolean }
  | { outcome: 'refused'; code: Extract<CloseDecision, { ok: false }>['code'] | 'no_statement' }
  | { outcome: 'undecided'; cause: unknown };

const tries = 5;

/** Records a person's decision on a finding. A concurrent import may delay it by a moment. */
export async function closeStatementFinding(
  { store, origin }: { store: Pick<EventStore, 'read' | 'append'>; origin: Origin },
  command: CloseStatementFinding,
): Promise<ClosedFinding> {
  const { of, findingId } = command;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    let state: StatementState;
    try {
      state = await readStatementState(store, of, findingId);
    } catch (cause) {
      return { outcome: 'undecided', cause };
    }
    // The finding of a day without an import belongs to no statement.
    if (state.revision < 0) return { outcome: 'refused', code: 'no_statement' };
    const decided = closeFinding(state, command);
    if (!decided.ok) return { outcome: 'refused', code: decided.code };
    const events = decided.events.map((event) => toNewEvent(event, origin));
    if (events.length === 0) return { outcome: 'done', changed: false };
    const stream = statementStream(of);
    const appended = await store.append({ stream, expectedRevision: state.revision, events });
    if (appended.outcome === 'appended') return { outcome: 'done', changed: true };
    if (appended.outcome === 'unknown') return { outcome: 'undecided', cause: appended.cause };
  }
  return { outcome: 'undecided', cause: new Error('every try met a conflict') };
}
