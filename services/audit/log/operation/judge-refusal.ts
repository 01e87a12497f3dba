import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { limitsSince } from '../pass/shops.ts';
import { parseExactMinor } from './exact-arithmetic.ts';
import type { AttemptFacts } from './fold.ts';
import type { RoutingContext } from './judge-routing.ts';

/** Refusals for lack of funds have their figures from this version on. */
const namesFunds = 2;

/**
 * A payout is refused for lack of funds only where the ledger had too little (R12.10), and names
 * the balance, the overdraft limit and the requested amount as the log has them.
 */
export function judgeRefusal(judged: RoutingContext): void {
  const { facts, event, flag } = judged;
  if (event.type === 'AttemptRefused') flag('reservation.refused', whyNotUnfunded(judged));
  const isDeclined =
    event.type === 'OperationDeclined' && event.data.reason === 'insufficient_funds';
  if (isDeclined && !facts.older && !facts.attempts.some(isUnfunded))
    flag('reservation.refused', 'declined for lack of funds that no attempt asked for');
}

const isUnfunded = ({ failure }: AttemptFacts): boolean => failure === 'insufficient_funds';

function whyNotUnfunded({ context, facts, event, envelope }: RoutingContext): string | undefined {
  if (event.type !== 'AttemptRefused' || event.data.reason !== 'insufficient_funds')
    return undefined;
  const { attempt, funds } = event.data;
  // A provider may have this reason, too.
  if (facts.attempts.find((each) => each.attempt === attempt)?.dispatched) return undefined;
  if (!funds)
    return envelope.metadata.schema_version < namesFunds
      ? undefined
      : `attempt ${attempt} lacks funds, and the balance is not named`;
  const { currency, balance, limit, need } = funds;
  const requested = facts.reservations.at(-1);
  if (requested?.currency !== currency || requested.amount !== need)
    return `${need} ${currency} is missing, where ${requested?.amount ?? 'nothing'} ${requested?.currency ?? ''} was requested`;
  const shop = context.shops.find(facts.shopId);
  const limits = shop && limitsSince(shop, { currency, sinceMs: facts.admittedMs });
  if (limits && !limits.includes(limit))
    return `the overdraft limit is given as ${limit}, and was ${limits.join(' or ')}`;
  if (parseExactMinor(balance) - parseExactMinor(need) >= -parseExactMinor(limit))
    return `${balance} with an overdraft limit of ${limit} covers the ${need} that is refused`;
  const ledger = ledgerStream(facts.shopId, currency);
  return context.balances.had(ledger, parseExactMinor(balance), envelope.atMs)
    ? undefined
    : `the balance is given as ${balance}, which the ledger did not have in the minute before`;
}
