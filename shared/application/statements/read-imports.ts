import type { StatementState } from '#shared/domain/statements/decide.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { readBackwards } from './read-state.ts';

/** One import of a day's statement, from its last event. */
export type ImportMade = Pick<
  NonNullable<StatementState['imported']>,
  'import' | 'source' | 'lines' | 'total_in' | 'total_out' | 'digest'
> & { imported_by: string; imported_at: Date };

/** `more`: there may be earlier ones. */
export type ImportsMade = { imports: ImportMade[]; more: boolean };

const mostImports = 10;
const mostEvents = 200;

/**
 * The imports of a day, newest first. Only the newest counts; each replaced the one before it.
 * @throws when the log can't be read
 */
export async function readImports(
  store: Pick<EventStore, 'read'>,
  of: StatementOf,
): Promise<ImportsMade> {
  const imports: ImportMade[] = [];
  let events = 0;
  for await (const { stored, event } of readBackwards(store, of)) {
    events += 1;
    if (imports.length === mostImports || events > mostEvents) return { imports, more: true };
    if (event.type !== 'StatementImported') continue;
    const { import: number, source, lines, total_in, total_out, digest } = event.data;
    const made = { imported_by: stored.metadata.actor, imported_at: stored.created };
    imports.push({ import: number, source, ...made, lines, total_in, total_out, digest });
  }
  return { imports, more: false };
}

/** Whether a person's file replaced the provider's own statement. */
export const fileReplacedProvider = ([newest, ...before]: readonly ImportMade[]): boolean =>
  newest?.source === 'file' && before.some(({ source }) => source === 'provider');
