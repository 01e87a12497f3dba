import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { OperationRow } from '../table.ts';

/** How many operations' numbers are compared: the newest that match everything else. */
export const comparedAtMost = 200;
const atATime = 20;

/** The log, and the keys that decrypt its sealed data. */
export type Sealed = {
  store: Pick<EventStore, 'read'>;
  personal: Pick<PersonalData, 'openEvent'>;
};

type Wanted = {
  rows: readonly OperationRow[];
  digits: string;
  signal: AbortSignal;
  /** Logs that the reader has learned the digits of an operation's number. */
  saw(operationId: string): void;
};

/**
 * Operations whose card or phone number ends with the digits. No table has numbers: they are sealed
 * in the log, and opened here without being shown. Each match is logged as a view by the reader.
 * `too_long` if the signal comes first.
 * @throws Problem not_ready when the log or a key can't be read
 */
export async function endingIn(
  sealed: Sealed,
  { rows, digits, signal, saw }: Wanted,
): Promise<OperationRow[] | 'too_long'> {
  const matches: OperationRow[] = [];
  for (let first = 0; first < rows.length; first += atATime) {
    if (signal.aborted) return 'too_long';
    const some = rows.slice(first, first + atATime);
    const ends = await Promise.all(
      some.map(({ operation_id: id }) => hasNumber(sealed, id, digits)),
    );
    matches.push(...some.filter((_, index) => ends[index]));
  }
  for (const { operation_id: operationId } of matches) saw(operationId);
  return matches;
}

async function hasNumber(
  { store, personal }: Sealed,
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
