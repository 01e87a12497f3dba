import type { Seen } from '../../report/findings/report-violation.ts';
import type { RowOf } from './tables.ts';

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

export const isOfOperators = ({ event }: Pick<Seen, 'event'>): boolean =>
  streams.test(event.stream);

type Told = Partial<Record<string, string>>;

/** A provider, one of its accounts, or one of its statements. */
function withProvider(
  type: string,
  { provider, account, currency, day }: Told,
): string | undefined {
  if (type.startsWith('Statement')) return `${provider}/${account}/${currency}/${day}`;
  return type.startsWith('ProviderAccount') ? `${provider}/${account}` : provider;
}

/** The row of gateway.operator_commands; undefined for an event that is no command. */
export function commandRow(seen: Seen): RowOf<'operator_commands'> | undefined {
  const { event, type, actor, tokenId, atMs } = seen;
  // Members of a merchant's staff give some of the same commands.
  if (others.has(type) || !actor.startsWith('operator:')) return undefined;
  const told = seen.data as Told;
  const shopId = /^(?:shop|members)-(.+)$/.exec(event.stream)?.[1] ?? told['shop_id'];
  const asked = type === 'AdjustmentRequested' ? told : {};
  return {
    event_id: event.id,
    command: type,
    actor,
    token_id: tokenId ?? null,
    merchant_id: told['merchant_id'] ?? null,
    shop_id: shopId ?? null,
    subject:
      told['key_id'] ??
      told['member_id'] ??
      told['token_id'] ??
      told['message_id'] ??
      told['adjustment_id'] ??
      withProvider(type, told) ??
      null,
    amount: asked['amount'] ?? null,
    currency: asked['currency'] ?? null,
    done_at: atMs,
    position: event.position,
  };
}
