import type { Role } from '#shared/domain/operator/events.ts';

/**
 * Who may give a command, written again by the auditor, route by route (R18.8). A test compares the
 * two tables.
 */
type Command = {
  routes: readonly string[];
  roles: readonly Role[];
  /** The gateway does it by itself too: who else may, `writers` says. */
  alsoByItself?: true;
};

const admins = (...routes: string[]): Command => ({ routes, roles: ['admin'] });
const operators = (...routes: string[]): Command => ({ routes, roles: ['admin', 'operator'] });
const shop = '/admin/v1/shops/:shop_id';
const statement = '/admin/v1/statements/:provider/:account/:currency/:day';
const missingStatements = '/admin/v1/missing-statements/:provider/:account/:currency';
const accounts = '/admin/v1/providers/:provider/accounts';

/** The events that are an operator's command, and of others a member's alone (`members.ts`). */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    MerchantCreated: admins('POST /admin/v1/merchants'),
    ShopCreated: admins('POST /admin/v1/shops'),
    ShopChanged: admins(`PATCH ${shop}`),
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
    WebhookConfigured: admins(`PUT ${shop}/webhook`),
    WebhookSecretIssued: admins(`POST ${shop}/webhook/rotate-secret`),
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
    // By one day, or by all that are missing. The processor that leads asks the provider too.
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
 * Events that follow from a command and carry its operator's name, perhaps much later, when a sweep
 * finishes it.
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
  // Of a statement that an operator imports.
  'StatementLinesRead',
]);

/** A request that began before the end of its token, key or member may append so much later. */
export const graceMs = 60_000;

/** What of an event says whose doing it is, where its type alone does not. */
const saidBy: Readonly<Record<string, string>> = {
  EntryPosted: 'kind',
  StatementImported: 'source',
};

/**
 * How an event is called in these lists: an entry of the books by its kind, a statement by its
 * source.
 */
export function whatIsDone({ type, data }: { type: string; data: unknown }): string {
  const by = Object.hasOwn(saidBy, type) ? saidBy[type] : undefined;
  if (by === undefined) return type;
  const said =
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[by] : undefined;
  return `${type} ${String(said)}`;
}
