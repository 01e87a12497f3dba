import { decodeDirectoryEvent, directoryStream } from '#shared/application/directory/stream.ts';
import { adjustmentStreamPrefix, decodeAdjustmentEvent } from '#shared/domain/adjustment/events.ts';
import { decodeMemberEvent, membersPrefix } from '#shared/domain/member/events.ts';
import { decodeOperatorEvent, operatorsStream } from '#shared/domain/operator/events.ts';
import { decodeErasureEvent, erasurePrefix } from '#shared/domain/personal-data/events.ts';
import { accountKey } from '#shared/domain/provider/accounts.ts';
import { decodeMerchantEvent, decodeShopEvent } from '#shared/domain/shop/events.ts';
import { decodeStatementEvent, statementStreamPrefix } from '#shared/domain/statements/events.ts';
import { decodeWebhookCommand, webhookCommandsStream } from '#shared/domain/webhook/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { CommandRow } from './table.ts';

/** The content of a command, without its operator and time. */
type CommandFields = Partial<
  Pick<CommandRow, 'merchant_id' | 'shop_id' | 'subject' | 'amount' | 'currency'>
>;

/** By stream prefix: reads a command; undefined for an event that is no operator's command. */
const readers: Readonly<Record<string, (stored: StoredEvent) => CommandFields | undefined>> = {
  'merchant-': (stored) => ({ merchant_id: decodeMerchantEvent(stored).data.merchant_id }),
  'shop-': ofShop,
  [membersPrefix]: (stored) => {
    const { type, data } = decodeMemberEvent(stored);
    if (type === 'MemberSignedIn') return undefined;
    return { shop_id: stored.stream.slice(membersPrefix.length), subject: data.member_id };
  },
  [directoryStream]: (stored) => {
    const { type, data } = decodeDirectoryEvent(stored);
    // A consequence of another command on the shop.
    if (type === 'SetupChanged') return undefined;
    return { subject: 'account' in data ? accountKey(data.provider, data.account) : data.provider };
  },
  [operatorsStream]: (stored) => ({ subject: decodeOperatorEvent(stored).data.token_id }),
  [webhookCommandsStream]: (stored) => {
    const { data } = decodeWebhookCommand(stored);
    return { shop_id: data.shop_id, ...('message_id' in data && { subject: data.message_id }) };
  },
  [adjustmentStreamPrefix]: (stored) => {
    const { type, data } = decodeAdjustmentEvent(stored);
    if (type !== 'AdjustmentRequested') return undefined;
    const { shop_id, adjustment_id: subject, amount, currency } = data;
    return { shop_id, subject, amount, currency };
  },
  [erasurePrefix]: (stored) => {
    const { type, data } = decodeErasureEvent(stored);
    return type === 'PersonalDataErasureRequested'
      ? { shop_id: data.shop_id, subject: data.key_id }
      : undefined;
  },
  [statementStreamPrefix]: (stored) => {
    const { type, data } = decodeStatementEvent(stored);
    if (type === 'StatementLinesRead') return undefined;
    return { subject: [data.provider, data.account, data.currency, data.day].join('/') };
  },
};

export const commandStreams = Object.keys(readers);

function ofShop(stored: StoredEvent): CommandFields | undefined {
  const shop_id = stored.stream.slice('shop-'.length);
  const event = decodeShopEvent(stored);
  // Usually the endpoint's 410, not an operator; switching it off by hand is WebhookConfigured.
  if (event.type === 'WebhookDisabled') return undefined;
  if (event.type === 'ShopCreated') return { shop_id, merchant_id: event.data.merchant_id };
  if (event.type === 'ApiKeyIssued' || event.type === 'ApiKeyRevoked')
    return { shop_id, subject: event.data.key_id };
  return { shop_id };
}

/**
 * The row of a command; undefined for an event that is none. Pure. @throws for an event that this
 * version does not know
 */
export function projectCommand(stored: StoredEvent): CommandRow | undefined {
  const prefix = commandStreams.find((each) => stored.stream.startsWith(each));
  const fields = prefix === undefined ? undefined : readers[prefix]?.(stored);
  const { metadata } = stored;
  // Members of a merchant's staff give some of the same commands.
  if (!fields || !metadata.actor.startsWith('operator:')) return undefined;
  return {
    event_id: stored.id,
    command: stored.type,
    actor: metadata.actor,
    token_id: metadata.token_id ?? null,
    merchant_id: null,
    shop_id: null,
    subject: null,
    amount: null,
    currency: null,
    ...fields,
    done_at: stored.created,
    position: stored.position.toString(),
  };
}
