import {
  decodeStatementEvent,
  mostLinesInEvent,
  statementStream,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

/** One import of a day's statement, from its last event. */
export type ImportMade = {
  import: number;
  source: 'provider' | 'file';
  imported_by: string;
  imported_at: Date;
  lines: number;
  total_in: string;
  total_out: string;
  digest: string;
};

/** `more`: there may be earlier ones. */
export type ImportsMade = { imports: ImportMade[]; more: boolean };

/** An event may hold some 250 KB of lines. */
const eventsAtOnce = 4;
const mostReads = 50;

/**
 * The imports of a day, newest first. Only the newest counts; each replaced the one before it. The
 * stream is read from its end, skipping the events with the lines of complete imports.
 * @throws when the log can't be read
 */
export async function readImports(
  store: Pick<EventStore, 'read'>,
  of: StatementOf,
  most = 10,
): Promise<ImportsMade> {
  const stream = statementStream(of);
  const imports: ImportMade[] = [];
  let from: number | undefined;
  for (let reads = 0; reads < mostReads; reads += 1) {
    const events = await store.read(stream, {
      direction: 'backwards',
      maxCount: eventsAtOnce,
      ...(from !== undefined && { fromRevision: from }),
    });
    const [newest] = events;
    if (!newest) return { imports, more: false };
    from = newest.revision - events.length;
    for (const stored of events) {
      const { type, data } = decodeStatementEvent(stored);
      if (type !== 'StatementImported') continue;
      const { import: number, source, lines, total_in, total_out, digest } = data;
      const made = { imported_by: stored.metadata.actor, imported_at: stored.created };
      imports.push({ import: number, source, ...made, lines, total_in, total_out, digest });
      // Its lines precede it, in that many events at least.
      from = stored.revision - 1 - Math.ceil(lines / mostLinesInEvent);
      break;
    }
    if (from < 0) return { imports, more: false };
    if (imports.length === most) break;
  }
  return { imports, more: true };
}

/** Whether a person's file replaced the provider's own statement. */
export const fileReplacedProvider = ([newest, ...before]: readonly ImportMade[]): boolean =>
  newest?.source === 'file' && before.some(({ source }) => source === 'provider');
