import type { Role } from '#shared/domain/operator/events.ts';
import { settingRoles } from '#shared/domain/shop/settings/derive.ts';

/**
 * Who may give which command, route by route (R18.8). The auditor has its own copy of this table; a
 * test compares it with the admin API's.
 */
type Command = {
  routes: readonly string[];
  roles: readonly Role[];
  /** The gateway or a merchant may also do it: `writers` lists the other actors. */
  alsoByItself?: true;
};

const admins = (...routes: string[]): Command => ({ routes, roles: ['admin'] });
const operators = (...routes: string[]): Command => ({ routes, roles: ['admin', 'operator'] });
const shop = '/admin/v1/shops/:shop_id';
const statement = '/admin/v1/statements/:provider/:account/:currency/:day';
const missingStatements = '/admin/v1/missing-statements/:provider/:account/:currency';
const accounts = '/admin/v1/providers/:provider/accounts';

/**
 * Events caused by an operator's command. Members may cause some of these, and some that only they
 * may (`members.ts`).
 */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    MerchantCreated: admins('POST /admin/v1/merchants'),
    ShopCreated: admins('POST /admin/v1/shops'),
    ShopChanged: { routes: [`PATCH ${shop}`], roles: settingRoles },
    ApiKeyIssued: admins(`POST ${shop}/api-keys`),
    ApiKeyRevoked: admins('DELETE /admin/v1/api-keys/:key_id'),
    MemberAdded: admins(`POST ${shop}/members`),
    MemberLinkIssued: admins(`POST ${shop}/members/:member_id/sign-in-links`),
    MemberRemoved: admins(`DELETE ${shop}/members/:member_id`),
    RoutesReplaced: admins(`PUT ${shop}/routes`),
    ProviderSwitchedOff: operators('POST /admin/v1/providers/:provider/switch-off'),
    ProviderSwitchedOn: operators('POST /admin/v1/providers/:provider/switch-on'),
    ProviderAccountAdded: admins(`POST ${accounts}`),
    ProviderAccountCredentialsReplaced: admins(`POST ${accounts}/:account/credentials`),
    ProviderAccountRenamed: admins(`PATCH ${accounts}/:account`),
    ProviderAccountSwitchedOff: operators(`POST ${accounts}/:account/switch-off`),
    ProviderAccountSwitchedOn: operators(`POST ${accounts}/:account/switch-on`),
    ProviderAccountRemoved: admins(`POST ${accounts}/:account/remove`),
    // Merchants manage their endpoints themselves, too.
    WebhookConfigured: { ...admins(`PUT ${shop}/webhook`), alsoByItself: true },
    WebhookSecretIssued: { ...admins(`POST ${shop}/webhook/rotate-secret`), alsoByItself: true },
    WebhookPingRequested: operators(`POST ${shop}/webhook/ping`),
    WebhookRedeliveryRequested: operators('POST /admin/v1/webhook-messages/:message_id/redeliver'),
    WebhookRedeliveriesRequested: operators(`POST ${shop}/webhook-messages/redeliver`),
    AdjustmentRequested: admins(`POST ${shop}/adjustments`),
    PersonalDataErasureRequested: admins(`POST ${shop}/erasures`),
    ReviewDecided: operators('POST /admin/v1/operations/:operation_id/review'),
    CloseDecided: admins('POST /admin/v1/operations/:operation_id/close'),
    LateStatusAcknowledged: operators('POST /admin/v1/suspense/:entry_id/resolve'),
    'EntryPosted resolution': operators('POST /admin/v1/suspense/:entry_id/resolve'),
    'StatementImported file': operators(`POST ${statement}/import`),
    // For one day, or for all missing days. The leading processor also asks the provider.
    'StatementImported provider': {
      ...operators(`POST ${statement}/fetch`, `POST ${missingStatements}/fetch`),
      alsoByItself: true,
    },
    StatementFindingClosed: operators(`POST ${statement}/close-finding`),
    AdminTokenIssued: admins('POST /admin/v1/tokens'),
    AdminTokenRevoked: admins('DELETE /admin/v1/tokens/:token_id'),
  }),
);

/**
 * Events that follow from a command and carry its operator's name. They may come much later, when a
 * sweep finishes the work.
 */
export const consequences: ReadonlySet<string> = new Set([
  'OperationCompleted',
  'OperationPartiallyCompleted',
  'OperationDeclined',
  'EntryPosted adjustment',
  'AdjustmentPosted',
  'PersonalKeyRetired',
  'PersonalDataErased',
  'WebhookDisabled',
  'SetupChanged',
  // For a statement that an operator imports.
  'StatementLinesRead',
]);

/**
 * A request that began before its token, key or member was revoked may still append this much
 * later.
 */
export const graceMs = 60_000;

/** The field that decides which command an event is of, where its type alone does not. */
const qualifierFields: Readonly<Record<string, string>> = {
  EntryPosted: 'kind',
  StatementImported: 'source',
};

/** The name of an event in these lists: a ledger entry by its kind, a statement by its source. */
export function whatIsDone({ type, data }: { type: string; data: unknown }): string {
  const by = Object.hasOwn(qualifierFields, type) ? qualifierFields[type] : undefined;
  if (by === undefined) return type;
  const qualifier =
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[by] : undefined;
  return `${type} ${String(qualifier)}`;
}
