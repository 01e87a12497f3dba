import { randomUUID } from 'node:crypto';
import { consoleSections } from '#services/back-office/console/pages.ts';
import { listPages, type SiteSection } from '#services/back-office/frame/site-map.ts';
import { portalSections } from '#services/back-office/portal/pages.ts';
import { makeForm } from '#infra/verify/harness/shops/form.ts';
import { getRequests, jsonRequest, type SeedRequest } from './attack.ts';
import type { AnswerForm } from './judge.ts';
import { accountCallbacks, accountPages, accountRequests, reports } from './account-targets.ts';
import { confirmForm, hostileReceipt, type AttackedStack } from './attacked-stack.ts';

/** A port of the stack, with valid requests. */
export type AttackTarget = {
  name: string;
  port: number;
  form: AnswerForm;
  seeds: readonly SeedRequest[];
};

const using = (headers: Record<string, string>, seeds: readonly SeedRequest[]): SeedRequest[] =>
  seeds.map((seed) => ({ ...seed, headers: { ...headers, ...seed.headers } }));

const documents = [
  '/docs',
  '/docs/payments?lang=ru',
  '/docs/assets/docs.000000000000.css',
  '/docs/client.tgz',
  '/docs/sample-receipt.pdf',
  '/docs/errors/invalid-json',
  '/openapi.json',
  '/',
  '/livez',
];

/** Every port that the stack listens on for HTTP. */
export function listTargets(attacked: AttackedStack): AttackTarget[] {
  return [...targetsForPeople(attacked), ...targetsInside(attacked)];
}

type Rest = Omit<AttackTarget, 'name' | 'port'>;

const targetIn =
  ({ stack: { env } }: AttackedStack) =>
  (name: string, variable: string, rest: Rest): AttackTarget => ({
    name,
    port: Number(env[variable]),
    ...rest,
  });

/** What merchants, payers and operators request. */
function targetsForPeople(attacked: AttackedStack): AttackTarget[] {
  const target = targetIn(attacked);
  return [
    target('merchant API', 'GATEWAY_PORT', {
      form: 'problem',
      seeds: using({ 'x-api-key': attacked.shop.apiKey }, merchantRequests(attacked)),
    }),
    target('merchant documents', 'GATEWAY_PORT', {
      form: 'mixed',
      seeds: getRequests(attacked.receiptPath, ...documents),
    }),
    target('admin API', 'ADMIN_PORT', {
      form: 'mixed',
      seeds: using({ authorization: `Bearer ${attacked.stack.adminToken}` }, [
        ...adminRequests(attacked),
        ...accountRequests(attacked),
      ]),
    }),
    target('console', 'ADMIN_PORT', {
      form: 'mixed',
      seeds: using({ cookie: attacked.console.cookie, 'sec-fetch-site': 'same-origin' }, [
        ...consoleRequests(attacked),
        ...accountPages(attacked),
      ]),
    }),
    target('portal', 'PORTAL_PORT', {
      form: 'mixed',
      seeds: using(
        { cookie: attacked.portal.cookie, 'sec-fetch-site': 'same-origin' },
        portalRequests(attacked),
      ),
    }),
    target('payment page', 'PAY_PORT', { form: 'mixed', seeds: payRequests(attacked) }),
  ];
}

/** What providers and machines request. */
function targetsInside(attacked: AttackedStack): AttackTarget[] {
  const target = targetIn(attacked);
  const health = getRequests('/livez', '/readyz', '/healthz', '/metrics');
  const healthTarget = (name: string, variable: string, seeds = health): AttackTarget =>
    target(name, variable, { form: 'problem', seeds });
  const { SANDBOX_API_KEY: sandboxKey, SANDBOX_CALLBACK_SECRET: secret = '' } = attacked.stack.env;
  const signed = reports({ path: '/callbacks/sandbox', secret, id: 'msg-1' }, [
    attacked.pending,
    attacked.completed,
    randomUUID(),
  ]);
  return [
    target('sandbox provider', 'SANDBOX_PORT', {
      form: 'problem',
      seeds: using({ authorization: `Bearer ${sandboxKey}` }, sandboxRequests(attacked)),
    }),
    healthTarget('processor', 'PROCESSOR_PORT', [
      ...signed,
      ...signed,
      ...accountCallbacks(attacked),
      ...health,
    ]),
    healthTarget('projections', 'PROJECTIONS_PORT'),
    healthTarget('webhooks', 'WEBHOOKS_PORT'),
    healthTarget('merchant metrics', 'GATEWAY_METRICS_PORT'),
    healthTarget('portal metrics', 'PORTAL_METRICS_PORT'),
    healthTarget('page metrics', 'PAY_METRICS_PORT'),
  ];
}

function merchantRequests({ pending, awaiting, completed }: AttackedStack): SeedRequest[] {
  const create = {
    merchant_operation_id: 'fuzz-1',
    client_id: 'client',
    client_ip: '192.0.2.1',
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
  };
  return [
    jsonRequest('POST', '/v1/payment', create),
    jsonRequest('POST', '/v1/payment/link', { ...create, merchant_operation_id: 'fuzz-2' }),
    jsonRequest('POST', '/v1/payout', {
      ...create,
      merchant_operation_id: 'fuzz-3',
      number: '2200 1234 5678 9010',
      name: 'IVAN',
    }),
    jsonRequest('POST', '/v1/cancel_operation', {
      merchant_operation_id: 'fuzz-4',
      reason: 'changed my mind',
    }),
    jsonRequest('POST', '/v1/cancel_operation', { operation_id: randomUUID() }),
    jsonRequest('POST', '/v1/get_operation_state', { operation_id: completed }),
    jsonRequest('POST', '/v1/get_operation_state', { merchant_operation_id: 'pending' }),
    { method: 'POST', path: '/v1/confirm_payment', form: confirmForm(awaiting) },
    { method: 'POST', path: '/v1/confirm_payment', form: confirmForm(pending) },
    ...getRequests(
      '/v1/balances',
      '/v1/methods',
      '/v1/operations?type=payment&limit=2&created_from=2026-01-01T00:00:00Z',
      '/v1/statements?currency=RUB&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z',
      '/v1/statements.csv?currency=RUB&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z',
      '/v1/checkpoints?currency=RUB&from_size=1',
      '/v1/keys',
      '/.well-known/checkpoint-keys',
    ),
  ];
}

function adminRequests({ spare, shop, completed, pending }: AttackedStack): SeedRequest[] {
  const at = `/admin/v1/shops/${spare.shopId}`;
  const route = {
    type: 'payment',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    provider: 'sandbox',
    priority: 1,
    min_amount: '1.00',
    commission: { percent: '2.50', fixed: '1.00' },
    options: { fx_rate: '0.5' },
  };
  return [
    jsonRequest('POST', '/admin/v1/merchants', { name: 'Fuzz' }),
    jsonRequest('POST', '/admin/v1/shops', {
      merchant_id: randomUUID(),
      name: 'Fuzz',
      overdraft_limits: { RUB: '0.00' },
    }),
    jsonRequest('PATCH', at, { name: 'Fuzz', rate_limit: { per_second: 100, burst: 200 } }),
    jsonRequest('POST', `${at}/api-keys`, { label: 'fuzz' }),
    jsonRequest('PUT', `${at}/routes`, { routes: [route] }),
    jsonRequest('PUT', `${at}/webhook`, { url: 'http://127.0.0.1:9/webhook', enabled: false }),
    jsonRequest('POST', `${at}/adjustments`, {
      adjustment_id: 'fuzz',
      currency: 'RUB',
      amount: '10.00',
      reason: 'fuzz',
    }),
    jsonRequest('POST', `/admin/v1/operations/${completed}/review`, {
      decision: 'approve',
      actual_amount: '1.00',
      note: 'x',
    }),
    jsonRequest('POST', `/admin/v1/suspense/${randomUUID()}/resolve`, {
      resolution: 'acknowledge',
      note: 'x',
    }),
    jsonRequest('POST', `${at}/webhook-messages/redeliver`, { status: 'exhausted' }),
    { method: 'POST', path: `/admin/v1/webhook-messages/${randomUUID()}/redeliver` },
    { method: 'DELETE', path: `/admin/v1/api-keys/${randomUUID()}` },
    { method: 'DELETE', path: `/admin/v1/tokens/${randomUUID()}` },
    ...getRequests(
      at,
      '/admin/v1/shops',
      `${at}/api-keys`,
      `${at}/routes`,
      `${at}/webhook`,
      `${at}/webhook-messages?status=pending&operation_id=${completed}`,
      `${at}/balances`,
      `/admin/v1/shops/${shop.shopId}/ledger/RUB?limit=10`,
      `/admin/v1/operations?shop_id=${shop.shopId}&status=pending&type=payment&merchant_operation_id=pending&limit=5`,
      `/admin/v1/operations/${pending}`,
      `/admin/v1/operations/${completed}/events`,
      `/admin/v1/operations/${completed}/ledger-entries`,
      '/admin/v1/suspense?limit=5',
      '/admin/v1/tokens',
      '/admin/v1/projections',
      '/metrics',
    ),
  ];
}

/** Every page of the console or the portal; other IDs are of nothing. */
function pagePaths<Page extends { path: string }>(
  sections: readonly SiteSection<Page>[],
  ids: Readonly<Record<string, string>>,
): string[] {
  const others = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-01' };
  const known: Readonly<Record<string, string>> = { ...others, audit: '0', ...ids };
  return listPages(sections).map(({ page }) =>
    page.path.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? randomUUID()),
  );
}

const formRequest = (path: string, fields: Record<string, string>): SeedRequest => ({
  method: 'POST',
  path,
  fields,
});

/**
 * Requests of a member who is an admin: sign-in links, forms with and without their token, ids of
 * other shops.
 */
function portalRequests({ portal, spare, completed, pending }: AttackedStack): SeedRequest[] {
  const act = (path: string, fields: Record<string, string> = {}) =>
    formRequest(path, { form_token: portal.formToken, once: randomUUID(), ...fields });
  return [
    ...getRequests(
      '/',
      ...pagePaths(portalSections, { operation_id: completed }),
      '/operations?status=pending&type=payment&method=WT_RUB_C2C&from=2026-01-01&to=2026-12-31&cursor=x',
      `/operations/${randomUUID()}`,
      `/operations?shop_id=${spare.shopId}`,
      '/balances/RUB?cursor=x',
      '/statement?currency=RUB&month=2026-01',
      '/webhooks?status=exhausted',
      '/operations.csv?status=completed&from=2026-01-01',
      `/operations.csv?shop_id=${spare.shopId}`,
      '/balances.csv',
      '/journal.csv?currency=RUB',
      '/statement.json?currency=RUB&from=2026-01-01&to=2026-01-31',
      '/statement.csv?currency=RUB&from=2026-01-01&to=2026-01-31',
      '/webhook-deliveries.csv?status=pending',
      `/sign-in?link=${spare.shopId}.mbr_${'a'.repeat(40)}&to=//evil.example`,
    ),
    formRequest('/sign-in', {
      link: `${spare.shopId}.mbr_${'a'.repeat(40)}`,
      to: '//evil.example',
    }),
    formRequest('/sign-out', { form_token: 'x' }),
    formRequest('/keys/new', { label: 'without a token of the form' }),
    act('/keys/new', { label: 'fuzz', scopes: 'all' }),
    act(`/keys/${randomUUID()}/revoke`),
    act('/members/new', { name: 'fuzz', role: 'viewer' }),
    act(`/members/${randomUUID()}/link`),
    act(`/members/${randomUUID()}/remove`),
    act('/webhooks/resend', { status: 'exhausted' }),
    act(`/webhooks/messages/${randomUUID()}/resend`),
    act(`/operations/${pending}/receipts/x`),
  ];
}

function consoleRequests({ spare, shop, completed, console }: AttackedStack): SeedRequest[] {
  return [
    ...getRequests(
      ...pagePaths(consoleSections, { operation_id: completed, shop_id: shop.shopId }),
      '/operations?status=pending&cursor=x',
      `/shops/${shop.shopId}/messages?status=pending`,
      '/sign-in?to=/shops',
    ),
    formRequest(`/shops/${spare.shopId}`, { name: 'Fuzz', form_token: 'x' }),
    formRequest(`/shops/${spare.shopId}`, { name: 'Fuzz', form_token: console.formToken }),
    formRequest('/operators', { name: 'fuzz', role: 'auditor', form_token: 'x' }),
    formRequest('/sign-in', { token: 'wrong', to: '//evil.example' }),
  ];
}

function payRequests({ pending, awaiting, completed }: AttackedStack): SeedRequest[] {
  const upload = { method: 'POST', path: `/${awaiting}`, form: makeForm({}, hostileReceipt) };
  return [
    ...getRequests(
      `/${pending}`,
      `/${pending}?lang=en&theme=dark`,
      `/${awaiting}`,
      `/${completed}`,
      '/',
      '/livez',
    ),
    upload,
    upload,
    { ...upload, path: `/${pending}` },
  ];
}

function sandboxRequests({ pending, completed }: AttackedStack): SeedRequest[] {
  const key = `${randomUUID()}.1`;
  return [
    jsonRequest('PUT', `/v1/attempts/${key}`, {
      type: 'payment',
      method: 'WT_RUB_C2C',
      amount: '1.00',
      currency: 'RUB',
      client_id: 'c',
      options: { fx_rate: '0.5' },
    }),
    jsonRequest('POST', `/v1/attempts/${key}/quote`, {
      currency: 'RUB',
      settlement_currency: 'USD',
      options: {},
    }),
    jsonRequest('POST', `/v1/attempts/${randomUUID()}.1/withdraw`, {}),
    { method: 'PUT', path: `/v1/attempts/${pending}.1/receipts/r-1`, bytes: hostileReceipt },
    jsonRequest('POST', `/control/operations/${pending}/leg`, { amount: '0.01', file: true }),
    jsonRequest('POST', `/control/operations/${randomUUID()}/settle`, {
      result: 'partial',
      legs: [{ amount: '1.00' }],
    }),
    jsonRequest('POST', `/control/operations/${pending}/review`, {
      result: 'flagged',
      actual_amount: '1.00',
    }),
    jsonRequest('POST', `/control/operations/${completed}/late-money`, { amount: '0.01' }),
    ...getRequests(
      `/v1/attempts/${completed}.1`,
      `/v1/attempts/${completed}.1/evidence`,
      `/v1/attempts/${completed}.1/legs/x/file`,
      `/control/operations/${pending}`,
      '/metrics',
    ),
  ];
}
