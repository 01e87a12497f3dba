import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** Streams that hold operators' commands and their consequences. */
const streams =
  /^(merchant|shop|members|adjustment|personal-erasure|statement)-|^(operators|webhook-commands|directory)$/;
/** Consequences of commands, or of an endpoint's answer. */
const others: ReadonlySet<string> = new Set([
  'WebhookDisabled',
  'AdjustmentPosted',
  'PersonalDataErased',
  'SetupChanged',
  'MemberSignedIn',
  'StatementLinesRead',
]);

export const isOfOperators = ({ event }: Pick<EventEnvelope, 'event'>): boolean =>
  streams.test(event.stream);

type CommandFields = Partial<Record<string, string>>;

/** A provider, one of its accounts, or one of its statements. */
function withProvider(
  type: string,
  { provider, account, currency, day }: CommandFields,
): string | undefined {
  if (type.startsWith('Statement')) return `${provider}/${account}/${currency}/${day}`;
  return type.startsWith('ProviderAccount') ? `${provider}/${account}` : provider;
}

/** The row of gateway.operator_commands; undefined for an event that is no command. */
export function commandRow(envelope: EventEnvelope) {
  const { event, type, actor, tokenId, atMs } = envelope;
  // Members of a merchant's staff give some of the same commands.
  if (others.has(type) || !actor.startsWith('operator:')) return undefined;
  const fields = envelope.data as CommandFields;
  const shopId = /^(?:shop|members)-(.+)$/.exec(event.stream)?.[1] ?? fields['shop_id'];
  const adjustment = type === 'AdjustmentRequested' ? fields : {};
  return {
    event_id: event.id,
    command: type,
    actor,
    token_id: tokenId ?? null,
    merchant_id: fields['merchant_id'] ?? null,
    shop_id: shopId ?? null,
    subject:
      fields['key_id'] ??
      fields['member_id'] ??
      fields['token_id'] ??
      fields['message_id'] ??
      fields['adjustment_id'] ??
      withProvider(type, fields) ??
      null,
    amount: adjustment['amount'] ?? null,
    currency: adjustment['currency'] ?? null,
    done_at: atMs,
    position: event.position,
  };
}
