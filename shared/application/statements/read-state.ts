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
 * The state of a statement's stream. It is read from its end, and the lines of finished imports are
 * left out: a day may have hundreds of thousands. With `findingId` its closing is looked for too,
 * to the stream's first event.
 * @throws when the log can't be read
 */
export async function readStatementState(
  store: Pick<EventStore, 'read'>,
  of: StatementOf,
  findingId?: string,
): Promise<StatementState> {
  const stream = statementStream(of);
  const state: { -readonly [Key in keyof StatementState]: StatementState[Key] } = {
    ...noStatement,
  };
  let from: number | undefined;
  do {
    const events = await store.read(stream, {
      direction: 'backwards',
      maxCount: eventsAtOnce,
      ...(from !== undefined && { fromRevision: from }),
    });
    const [newest] = events;
    if (!newest) return state;
    if (from === undefined) state.revision = newest.revision;
    from = newest.revision - events.length;
    for (const stored of events) {
      const { type, data } = decodeStatementEvent(stored);
      if (type === 'StatementFindingClosed') {
        if (data.finding_id !== findingId) continue;
        return { ...state, closed: { [findingId]: data } };
      }
      state.latestImport = Math.max(state.latestImport, data.import);
      if (type === 'StatementLinesRead') continue;
      state.imported ??= data;
      if (findingId === undefined) return state;
      // Its lines precede it, in that many events at least.
      from = stored.revision - 1 - Math.ceil(data.lines / mostLinesInEvent);
      break;
    }
  } while (from >= 0);
  return state;
}
