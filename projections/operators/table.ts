import { defineTable, type RowOf } from '../read-model.ts';

/**
 * One operator's command, except decisions on operations and late facts, which have tables of their
 * own.
 */
export type CommandRow = RowOf<typeof commandsTable>;

export const commandsTable = defineTable()({
  name: 'operator_commands',
  comment:
    'One row per command by which operators set up merchants, shops, members of their staff and tokens, switched a provider, set up accounts with providers, requested webhooks, corrected a balance, erased personal data, imported a provider’s statement from a file or closed a finding. With their decisions on operations and late facts: gateway.operator_actions.',
  primaryKey: ['event_id'],
  columns: {
    event_id: { type: 'text', comment: 'Id of the event in the log' },
    command: {
      type: 'text not null',
      comment:
        'The type of that event: MerchantCreated, ShopCreated, ShopChanged, RoutesReplaced, ProviderSwitchedOff, ProviderSwitchedOn, ProviderAccountAdded, ProviderAccountCredentialsReplaced, ProviderAccountRenamed, ProviderAccountSwitchedOff, ProviderAccountSwitchedOn, ProviderAccountRemoved, ApiKeyIssued, ApiKeyRevoked, MemberAdded, MemberLinkIssued, MemberRemoved, WebhookConfigured, WebhookSecretIssued, WebhookPingRequested, WebhookRedeliveryRequested, WebhookRedeliveriesRequested, AdjustmentRequested, PersonalDataErasureRequested, AdminTokenIssued, AdminTokenRevoked, StatementImported or StatementFindingClosed',
    },
    actor: { type: 'text not null', comment: 'The operator: operator:<name>' },
    token_id: { type: 'text', comment: 'The token; null in old events' },
    merchant_id: {
      type: 'text',
      comment: 'The merchant, where the event names it: of a new merchant or shop',
    },
    shop_id: { type: 'text', comment: 'The shop that it concerns' },
    subject: {
      type: 'text',
      comment:
        'What it is about, by its id: an API key, a member, a token, a provider, an account with one (`sandbox/second`), a webhook’s message, an adjustment, the key of a client’s personal data, or a statement (`sandbox/default/RUB/2026-01-31`)',
    },
    amount: {
      type: 'numeric(38,2)',
      comment: 'Of an adjustment: below zero where it takes from the shop',
    },
    currency: { type: 'text', comment: 'Of amount' },
    done_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [
    { on: 'done_at, position' },
    { on: 'shop_id, done_at, position' },
    { on: 'actor, done_at, position' },
    { on: 'command, done_at, position' },
  ],
});
