import { decodeLedgerEvent, type Entry } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';

/** The operations that entries are about. */
export const operationIdsOf = (events: readonly StoredEvent[]): string[] => {
  const entries = events.map((event) => decodeLedgerEvent(event).data);
  return entries.flatMap((entry) => (entry.kind === 'adjustment' ? [] : [entry.operation_id]));
};

/** The merchant's id of an entry's operation; an adjustment is of none. */
export function merchantIdOf(
  entry: Entry,
  merchantIds: ReadonlyMap<string, string>,
): Html | string {
  const id = entry.kind === 'adjustment' ? undefined : merchantIds.get(entry.operation_id);
  return id === undefined ? '—' : html`<span class="clip" title="${id}">${id}</span>`;
}
