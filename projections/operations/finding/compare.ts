import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { OperationRow } from '../table.ts';

/**
 * What no index has is compared: numbers and metadata are encrypted with the client's key, and
 * an index of them, even of hashes, would let its readers find values by trying.
 */

/** How many operations are compared: the newest that match everything else. */
export const mostCompared = 200;
const atATime = 20;

/** The log, and the keys that decrypt its sealed data. */
export type SealedLog = {
  store: Pick<EventStore, 'read'>;
  personal: Pick<PersonalData, 'openEvent' | 'openFields'>;
};

/** A personal datum to compare with: the end of a card or phone number, or a part of metadata. */
export type Needle = { lastFour: string } | { metadata: string };

type Comparison = {
  rows: readonly OperationRow[];
  needle: Needle;
  signal: AbortSignal;
  /** Logs that the reader has learned something of an operation's personal data. */
  saw(operationId: string): void;
};

/**
 * The operations that match, opened without being shown. Each match is logged as a view by the
 * reader. `too_long` if the signal comes first.
 * @throws Problem not_ready when the log or a key can't be read
 */
export async function findMatches(
  sealed: SealedLog,
  { rows, needle, signal, saw }: Comparison,
): Promise<OperationRow[] | 'too_long'> {
  const isMatch = (row: OperationRow) =>
    'lastFour' in needle
      ? hasNumber(sealed, row.operation_id, needle.lastFour)
      : hasMetadata(sealed, row, needle.metadata.toLowerCase());
  const matches: OperationRow[] = [];
  for (let first = 0; first < rows.length; first += atATime) {
    if (signal.aborted) return 'too_long';
    const some = rows.slice(first, first + atATime);
    const matched = await Promise.all(some.map(isMatch));
    matches.push(...some.filter((_, index) => matched[index]));
  }
  for (const { operation_id: operationId } of matches) saw(operationId);
  return matches;
}

async function hasMetadata(
  { personal }: SealedLog,
  row: OperationRow,
  text: string,
): Promise<boolean> {
  const { metadata } = await fromStore(personal.openFields(row.operation_id, row));
  return Object.values(metadata ?? {}).some((value) => value.toLowerCase().includes(text));
}

async function hasNumber(
  { store, personal }: SealedLog,
  id: string,
  digits: string,
): Promise<boolean> {
  for (const stored of await fromStore(store.read(operationStream(id)))) {
    if (stored.type !== 'OperationAdmitted' && stored.type !== 'AttemptAccepted') continue;
    const { type, data } = await fromStore(personal.openEvent(id, decodeOperationEvent(stored)));
    const recipient =
      type === 'OperationAdmitted'
        ? data.request.destination
        : type === 'AttemptAccepted'
          ? data.requisites
          : undefined;
    if (
      recipient &&
      'number' in recipient &&
      recipient.number.replaceAll(/\D/g, '').endsWith(digits)
    )
      return true;
  }
  return false;
}
