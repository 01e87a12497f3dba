import { noStatement, type StatementState } from '#shared/domain/statements/decide.ts';
import {
  decodeStatementEvent,
  mostLinesInEvent,
  statementStream,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

/** An event may hold some 250 KB of lines. */
const eventsAtOnce = 4;

/**
 * A statement's events, newest first, without the lines of complete imports: a day may have
 * hundreds of thousands.
 * @throws when the log can't be read
 */
export async function* readBackwards(store: Pick<EventStore, 'read'>, of: StatementOf) {
  let from: number | undefined;
  do {
    const events = await store.read(statementStream(of), {
      direction: 'backwards',
      maxCount: eventsAtOnce,
      ...(from !== undefined && { fromRevision: from }),
    });
    const [newest] = events;
    if (!newest) return;
    from = newest.revision - events.length;
    for (const stored of events) {
      const event = decodeStatementEvent(stored);
      yield { stored, event };
      if (event.type !== 'StatementImported') continue;
      // Its lines precede it, in that many events at least.
      from = stored.revision - 1 - Math.ceil(event.data.lines / mostLinesInEvent);
      break;
    }
  } while (from >= 0);
}

/**
 * The state of a statement's stream. With `findingId` its closing is looked for too, to the
 * stream's first event.
 * @throws when the log can't be read
 */
export async function readStatementState(
  store: Pick<EventStore, 'read'>,
  of: StatementOf,
  findingId?: string,
): Promise<StatementState> {
  const state: { -readonly [Key in keyof StatementState]: StatementState[Key] } = {
    ...noStatement,
  };
  for await (const { stored, event } of readBackwards(store, of)) {
    const { type, data } = event;
    state.revision = Math.max(state.revision, stored.revision);
    if (type === 'StatementFindingClosed') {
      if (data.finding_id === findingId) return { ...state, closed: { [findingId]: data } };
      continue;
    }
    state.latestImport = Math.max(state.latestImport, data.import);
    if (type !== 'StatementImported') continue;
    state.imported ??= data;
    if (findingId === undefined) break;
  }
  return state;
}
