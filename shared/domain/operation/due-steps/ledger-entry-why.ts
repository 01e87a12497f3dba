import type { Why } from '../../ledger/commands.ts';
import {
  findAttempt,
  currentRoute,
  exchangeRate,
  type Operation,
  type Reservation,
} from '../state.ts';
import type { DueEntry } from './ledger-entries.ts';

/** Why an operation's entries were posted, for readers of the journal. */

/**
 * The reason of an entry that the operation's end makes due; `endType` is the type of that event.
 */
export function whySettled(operation: Operation, entry: DueEntry, endType: string): Why {
  if (entry.kind === 'release') {
    const reservation = operation.reservations.find(
      (each) => each.reservation === entry.reservation,
    );
    return { ...(reservation && whyReserved(operation, reservation)), cause: endType };
  }
  const route = currentRoute(operation);
  const fxRate = exchangeRate(operation);
  return {
    cause: endType,
    ...(route && { provider: route.provider }),
    ...(route?.conversion && fxRate !== undefined && operation.settled
      ? { source: toEntrySource(operation, operation.settled.actual_amount, fxRate) }
      : {}),
  };
}

/** The reason of a reserve, and of its release if another reservation took its place. */
export function whyReserved(
  operation: Operation,
  { reservation, fxRate }: Pick<Reservation, 'reservation' | 'fxRate'>,
): Why {
  const provider = findAttempt(operation, reservation)?.route.provider;
  return {
    cause: 'ReservationRequested',
    ...(provider !== undefined && { provider }),
    ...(fxRate !== undefined && {
      source: toEntrySource(operation, operation.request.amount, fxRate),
    }),
  };
}

const toEntrySource = ({ request }: Operation, amount: string, fx_rate: string) => ({
  amount,
  currency: request.currency,
  fx_rate,
});
