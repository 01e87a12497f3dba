import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import type { Shops } from '../log/pass/shops.ts';
import { graceMs } from './commands.ts';
import { whyNotInScope } from './key-scopes.ts';
import type { MemberAuthority } from './members.ts';
import type { NamingRule } from './naming.ts';

/** What an event is about, known once its judge has applied it. */
type About = {
  shopId?: string | undefined;
  /** Its operation was admitted when every event already named its key or token. */
  strict: boolean;
};

type Context = { report: Report; shops: Shops };
type CallerContext = {
  envelope: EventEnvelope;
  about: About;
  naming: NamingRule;
  members: MemberAuthority;
};

const merchant = 'merchant:';
const payer = 'payer:';

/** Whether the actor acts with a key or token. Services and providers don't. */
export const isCaller = ({ actor }: EventEnvelope): boolean => !/^(service|provider):/.test(actor);

/**
 * Checks that an event names the key or token it was caused with, and that the key was its shop's.
 */
export function judgeCaller(context: Context, judged: CallerContext): void {
  const { envelope, about, naming } = judged;
  const { shopId } = about;
  if (envelope.keyId !== undefined || envelope.tokenId !== undefined) naming.begin(envelope);
  const flag = createFlag(context, envelope, shopId);
  flag('authority.key', whyNoMerchants(context.shops, judged));
  flag('authority.payer', whyNoPayers(envelope));
  judged.members.take(context, envelope, shopId);
  if (envelope.tokenId !== undefined || !envelope.actor.startsWith('operator:')) return;
  if (naming.mustName(envelope, about)) flag('authority.token', `${envelope.actor} names no token`);
}

function whyNoMerchants(
  shops: Shops,
  { envelope, about, naming }: CallerContext,
): string | undefined {
  const { actor, keyId, atMs } = envelope;
  if (!actor.startsWith(merchant)) return undefined;
  const ownShopId = actor.slice(merchant.length);
  if (about.shopId !== undefined && about.shopId !== ownShopId)
    return `${actor} acts on data of shop ${about.shopId}`;
  if (keyId === undefined)
    return naming.mustName(envelope, about) ? `${actor} names no key` : undefined;
  const key = shops.find(ownShopId)?.keys.get(keyId);
  if (!key) return `${actor} names key ${keyId}, which was never issued to that shop`;
  const { endsMs, endsBy, scopes } = key;
  if (atMs >= endsMs + graceMs)
    return `${actor} names key ${keyId}, which ${endsBy} at ${new Date(endsMs).toISOString()}`;
  const why = whyNotInScope(envelope, scopes);
  return why && `${actor} names key ${keyId}: ${why}`;
}

/** Payers can only act on the hosted page. */
function whyNoPayers({ actor }: EventEnvelope): string | undefined {
  return !actor.startsWith(payer) || actor === `${payer}payment-page`
    ? undefined
    : `${actor} is an unknown page`;
}
