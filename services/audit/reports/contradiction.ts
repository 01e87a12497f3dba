import type { Dossier } from '../dossier/dossier.ts';
import { amountOf, totalOf } from '../operation/exact.ts';
import { routeOf, type OperationFacts } from '../operation/fold.ts';

/** What a provider signed of an attempt; by the words of the one provider that there is. */
export type Told = {
  operation_id?: unknown;
  attempt?: unknown;
  acceptance?: unknown;
  status?: unknown;
  legs?: unknown;
};

type Leg = { leg_id: string; amount: string };
/** What of an event a provider tells. */
type Said = {
  attempt?: number;
  leg?: Leg;
  legs?: readonly Leg[];
  leg_id?: string;
  reported_amount?: string;
  reported_status?: string;
};

const gone = '0.00';

/**
 * What an event says and its provider did not sign, once its dossier has the event; undefined where
 * all of it was signed.
 */
export function contradictionOf(
  { type, data }: { type: string; data: unknown },
  { dossier, told }: { dossier: Dossier; told: Told },
): string | undefined {
  if (told.operation_id !== dossier.id)
    return `the provider signed a report of operation ${String(told.operation_id)}`;
  const said = data as Said;
  const attempt = said.attempt ?? (dossier.operation && routeOf(dossier.operation)?.attempt);
  if (attempt !== told.attempt)
    return `it is of attempt ${attempt}, the provider signed attempt ${String(told.attempt)}`;
  const legs = Array.isArray(told.legs) ? (told.legs as Leg[]) : [];
  for (const { leg_id: id, amount } of legsOf(type, said, dossier)) {
    const signed = legs.find((leg) => leg.leg_id === id)?.amount ?? gone;
    if (signed !== amount) return `leg ${id} has ${amount}, the provider signed ${signed}`;
  }
  return outcomeAgainst(type, said, { operation: dossier.operation, told });
}

/** The legs that the provider must have signed, as they stand after the event. */
function legsOf(type: string, said: Said, { operation, confirmed, late }: Dossier): readonly Leg[] {
  const { leg, leg_id: id = '', reported_amount: reported = '' } = said;
  switch (type) {
    case 'LegReceived':
    case 'LegCorrected':
      return leg ? [leg] : [];
    case 'LateLegCorrected':
      return [{ leg_id: id, amount: reported }];
    case 'LateMoneyReceived': {
      // What it confirmed of an approval stands before it.
      const parts = [...confirmed, ...late].filter(({ legId }) => legId === leg?.leg_id);
      return leg ? [{ ...leg, amount: amountOf(totalOf(parts.map(({ amount }) => amount))) }] : [];
    }
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
      return (operation?.legs ?? [])
        .filter(({ synthetic }) => !synthetic)
        .map(({ legId, amount }) => ({ leg_id: legId, amount }));
    default:
      return [];
  }
}

const refusing = ['refused', 'void'];
/**
 * The statuses of a report that an event may follow from. The full amount completes an operation,
 * whatever the report's status.
 */
const statuses: Readonly<Record<string, readonly string[]>> = {
  OperationPartiallyCompleted: ['completed', 'partially_completed', 'declined', 'expired', 'withdrawn'],
  OperationDeclined: ['declined', 'expired', 'withdrawn'],
  OperationExpired: ['expired', 'withdrawn'],
};

function outcomeAgainst(
  type: string,
  said: Said,
  { operation, told }: { operation: OperationFacts | undefined; told: Told },
): string | undefined {
  const [acceptance, status] = [String(told.acceptance), String(told.status)];
  const is = `the provider signed ${acceptance} and ${status}`;
  const refused = refusing.includes(acceptance);
  if (type === 'AttemptAccepted') return acceptance === 'accepted' ? undefined : is;
  if (type === 'AttemptRefused') return refused ? undefined : is;
  if (said.reported_status !== undefined) return said.reported_status === status ? undefined : is;
  const may = statuses[type];
  if (!may || may.includes(status)) return undefined;
  // What no route takes any more is declined; a payout has no other end without money.
  return type === 'OperationDeclined' && refused && operation ? undefined : is;
}
