import type { OperationRow } from '#projections/operations/table.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import type { Operator } from '../../authentication.ts';
import { readEvents } from '../../api/operations/read.ts';
import { fromStore } from '../../store.ts';
import type { Console } from '../env.ts';

/** How many operations' numbers are compared: the newest that match everything else. */
export const comparedAtMost = 200;
const atATime = 20;

type Wanted = {
  rows: readonly OperationRow[];
  digits: string;
  operator: Operator;
  signal: AbortSignal;
};

/**
 * Operations whose card or phone number ends with the digits. No table has numbers: they are sealed
 * in the log, and opened here without being shown. Each match is logged as a view by the user.
 * `too_long` if the signal comes first.
 * @throws Problem not_ready when the log or a key can't be read
 */
export async function endingIn(
  console: Pick<Console, 'store' | 'personal' | 'accessLog'>,
  { rows, digits, operator, signal }: Wanted,
): Promise<OperationRow[] | 'too_long'> {
  const found: OperationRow[] = [];
  for (let first = 0; first < rows.length; first += atATime) {
    if (signal.aborted) return 'too_long';
    const some = rows.slice(first, first + atATime);
    const ends = await Promise.all(
      some.map(({ operation_id: id }) => hasNumber(console, id, digits)),
    );
    found.push(...some.filter((_, index) => ends[index]));
  }
  for (const { operation_id: operationId } of found)
    console.accessLog.saw({ operator, operationId, shown: 'operation' });
  return found;
}

async function hasNumber(
  { store, personal }: Pick<Console, 'store' | 'personal'>,
  id: string,
  digits: string,
): Promise<boolean> {
  for (const stored of await readEvents(store, id)) {
    if (stored.type !== 'OperationAdmitted' && stored.type !== 'AttemptAccepted') continue;
    const { type, data } = await fromStore(personal.openEvent(id, decodeOperationEvent(stored)));
    const place =
      type === 'OperationAdmitted'
        ? data.request.destination
        : type === 'AttemptAccepted'
          ? data.requisites
          : undefined;
    if (place && 'number' in place && place.number.replaceAll(/\D/g, '').endsWith(digits))
      return true;
  }
  return false;
}
