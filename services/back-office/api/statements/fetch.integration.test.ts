import { expect, onTestFinished, test } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import { accountKey, type ProviderAccount } from '#shared/domain/provider/accounts.ts';
import { dayAfter, mostDaysBack, newestDay } from '#shared/application/statements/days.ts';
import { listMissing } from './missing.ts';
import { useConsole } from '../../console/testing/console.ts';
import { tokens, type TestAdmin } from '../../testing/admin.ts';

// The day must not change during these tests.
await avoidMidnight();

const console = useConsole();
const sandbox = sandboxForFile();
const admin = forFile(() => startAdminFor(sandbox.url));

/** The admin service with the real connector to a sandbox at that address. */
async function startAdminFor(url: string): Promise<TestAdmin> {
  const { directory } = console;
  const config = { ...sandbox.config, SANDBOX_URL: url };
  const { BANK_URL: _url, BANK_ACCOUNT: _account, BANK_KEY: _key, ...without } = config;
  const built = createProviders(without, logger, {
    accounts: { directory, credentialKeys: testCredentialKeys },
  });
  const instance = await console.startInstance({
    connectors: built.providers,
    accounts: built.accounts,
  });
  const { stop } = instance;
  return { ...instance, stop: async () => void (await Promise.all([stop(), built.close()])) };
}

const newest = newestDay(Date.now());
const path = (day: string, account = 'sandbox/default') =>
  `/admin/v1/statements/${account}/RUB/${day}`;
type FetchOptions = { token?: string; of?: TestAdmin; account?: string };
const fetchDay = (day: string, options: FetchOptions = {}) => {
  const { token = tokens.operator, of = admin, account } = options;
  return of.call(`POST ${path(day, account)}/fetch`, { token });
};
const plant = (difference: object) => {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(difference) };
  return fetch(`${sandbox.url}/control/statements/differences`, request);
};

test('imports a statement for an operator once; a changed one replaces it (R22.17)', async () => {
  const day = dayAfter(newest, -20);
  expect((await fetchDay(day, { token: tokens.auditor })).status).toBe(403);
  const imported = { day, outcome: 'imported', import: 1, lines: 0 };
  expect(await fetchDay(day)).toMatchObject({ status: 200, body: imported });
  const unchanged = { outcome: 'unchanged', import: 1 };
  expect(await fetchDay(day)).toMatchObject({ status: 200, body: unchanged });
  const fee = { kind: 'fee', direction: 'out', leg_id: 'fee-1', amount: '3.00' };
  const line = { ...fee, completed_at: `${day}T10:00:00.000Z` };
  expect((await plant({ kind: 'extra', day, currency: 'RUB', line })).ok).toBe(true);
  expect(await fetchDay(day)).toMatchObject({ body: { outcome: 'imported', import: 2, lines: 1 } });
  // A file replaces the provider's statement, and is marked.
  const body = 'kind,direction,leg_id,amount,currency,completed_at';
  const headers = { 'content-type': 'text/csv' };
  const token = tokens.operator;
  const sent = await admin.call(`POST ${path(day)}/import`, { body, token, headers });
  expect(sent).toMatchObject({ body: { import: 3 } });
  await console.waitForReadModels();
  expect((await admin.call(`GET ${path(day)}`)).body).toMatchObject({
    source: 'file',
    replaces_provider: true,
    imports: [
      { import: 3, source: 'file', imported_by: 'oleg' },
      { import: 2, source: 'provider', imported_by: 'oleg', lines: 1, total_out: '3.00' },
      { import: 1, source: 'provider', imported_by: 'oleg' },
    ],
  });
  expect(await fetchDay(day)).toMatchObject({ body: { outcome: 'imported', import: 4 } });
  await console.waitForReadModels();
  const own = { source: 'provider', replaces_provider: false };
  expect((await admin.call(`GET ${path(day)}`)).body).toMatchObject(own);
});

test('rejects a day that is not over, an unknown account and an invalid day (R22.17)', async () => {
  expect(await fetchDay(dayAfter(newest))).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer: '/day', code: 'day_not_over' }] },
  });
  expect((await fetchDay(newest, { account: 'sandbox/unknown' })).status).toBe(404);
  // The provider exists, but the environment has no account with it.
  expect((await fetchDay(newest, { account: 'bank/default' })).status).toBe(404);
  expect((await fetchDay('2026-02-30')).status).toBe(404);
});

test.each([
  ['not_yet', { final: false }, 200],
  ['unknown', { final: true, closing_balance: 'x' }, 200],
  ['unknown', {}, 500],
])(
  'reports an incomplete statement as %s, and records nothing (R22.17)',
  async (outcome, more, status) => {
    const day = dayAfter(newest, -21);
    const balances = { opening_balance: '0.00', closing_balance: '0.00' };
    const answer = { currency: 'RUB', day, page: 1, ...balances, lines: [] };
    const { url, close } = await openServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...answer, more: false, ...more }));
    });
    onTestFinished(close);
    const of = await startAdminFor(url);
    onTestFinished(() => of.stop());
    expect(await fetchDay(day, { of })).toMatchObject({
      status: 200,
      body: { day, outcome, cause: expect.any(String) },
    });
    expect(await console.store.read(`statement-sandbox.default.RUB.${day}`)).toEqual([]);
  },
);

test('uses an added account’s own key, and reports the days missing since its first statement (R22.18)', async () => {
  const body = { account: 'third', label: 'Third', credentials: accountCredentials('third') };
  const accounts = 'POST /admin/v1/providers/sandbox/accounts';
  expect((await console.call(accounts, { body })).status).toBe(201);
  // The provider does not know the key.
  const account = 'sandbox/third';
  const unknown = { status: 200, body: { outcome: 'unknown' } };
  expect(await fetchDay(newest, { account })).toMatchObject(unknown);
  await openAccount(sandbox.url, 'third');
  const missing = async () => (await missingOf('third')).RUB;
  expect(await missing()).toBeUndefined();
  // A day before it was added: the days since then are missing now.
  const imported = { body: { outcome: 'imported' } };
  expect(await fetchDay(dayAfter(newest, -2), { account })).toMatchObject(imported);
  await console.waitForReadModels();
  expect(await missing()).toEqual([newest, dayAfter(newest, -1)]);
});

type Missing = {
  from: string;
  to: string;
  missing: { account: string; currency: string; days: string[] }[];
};
async function missingOf(account: string): Promise<Record<string, string[]>> {
  const list = 'GET /admin/v1/missing-statements';
  const { body } = await admin.call<Missing>(list, { token: tokens.auditor });
  expect(body).toMatchObject({ to: newest, from: dayAfter(newest, -59) });
  const own = body.missing.filter((each) => each.account === account);
  return Object.fromEntries(own.map(({ currency, days }) => [currency, days]));
}

test('reports the missing days since the first statement, even those no longer fetched (R22.18)', async () => {
  const { RUB = [], ...others } = await missingOf('default');
  // Since the first statement, twenty days ago.
  expect(RUB).toHaveLength(20);
  expect([RUB[0], RUB.at(-1)]).toEqual([newest, dayAfter(newest, -19)]);
  expect(RUB.length).toBeGreaterThan(mostDaysBack);
  // A currency without any statement lacks only the newest day.
  for (const days of Object.values(others)) expect(days).toEqual([newest]);
  expect(await fetchDay(newest)).toMatchObject({ body: { outcome: 'imported' } });
  // With an earlier first statement, only the days within the period are missing.
  expect(await fetchDay(dayAfter(newest, -100))).toMatchObject({ body: { outcome: 'imported' } });
  await console.waitForReadModels();
  const after = (await missingOf('default')).RUB ?? [];
  expect(after).toHaveLength(58);
  expect([after[0], after.at(-1)]).toEqual([dayAfter(newest, -1), dayAfter(newest, -59)]);
  expect((await admin.call('GET /admin/v1/missing-statements?account=x')).status).toBe(400);
});

test('fetches all missing days of an account with one request, and counts those left (R22.17)', async () => {
  type Fetched = { days: { day: string; outcome: string }[]; left: number };
  const all = (account: string, of = admin, token: string = tokens.operator) =>
    of.call<Fetched>(`POST /admin/v1/missing-statements/sandbox/${account}/RUB/fetch`, { token });
  expect((await all('default', admin, tokens.auditor)).status).toBe(403);
  expect((await all('unknown')).status).toBe(404);
  const missing = (await missingOf('default')).RUB ?? [];
  expect(missing.length).toBeGreaterThan(10);
  const disconnected = await startAdminFor('http://127.0.0.1:9');
  onTestFinished(() => disconnected.stop());
  const unreachable = (await all('default', disconnected)).body;
  expect(unreachable.left).toBe(missing.length);
  expect(new Set(unreachable.days.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
  const { days, left } = (await all('default')).body;
  expect(left).toBe(0);
  expect(days.map(({ day }) => day)).toEqual(missing);
  expect(new Set(days.map(({ outcome }) => outcome))).toEqual(new Set(['imported']));
  await console.waitForReadModels();
  expect((await missingOf('default')).RUB).toBeUndefined();
  expect((await all('default')).body).toMatchObject({ days: [], left: 0 });
});

/** The provider is still connected, but no account with it exists any more. */
const connector = { carries: [{ currency: 'RUB' }], statement: () => undefined };
const withoutAccounts = {
  accounts: { list: async () => [], use: async () => ({ outcome: 'absent' as const }) },
  connectors: new Map([['sandbox', connector]]) as unknown as Providers,
};

test('reports the days of an account that was removed before it had a statement (R22.18)', async () => {
  const [addedOn, removedOn] = [dayAfter(newest, -9), dayAfter(newest, -4)];
  const change = { at: `${addedOn}T10:00:00.000Z`, by: 'operator:alice' };
  const west: ProviderAccount = {
    provider: 'sandbox',
    account: 'west',
    label: 'West',
    version: 1,
    credentials: { master_key_id: '', sealed: '', fingerprint: '' },
    added: change,
    changed: change,
    removed: { reason: 'over', since: `${removedOn}T10:00:00.000Z`, by: 'operator:alice' },
  };
  const accounts = new Map([[accountKey('sandbox', 'west'), west]]);
  const now = Date.parse(`${newest}T00:00:00.000Z`) + 86_400_000;
  const listAt = (nowMs: number, statementsAfterMs: number) =>
    listMissing({ ...withoutAccounts, db: console.db, directory, statementsAfterMs }, nowMs);
  const providers = async () => ({ revision: 0, off: new Map(), accounts });
  const directory = { providers } as unknown as Directory;
  const { missing } = await listAt(now, 0);
  const days = missing.find(({ account }) => account === 'west')?.days;
  expect([days?.length, days?.[0], days?.at(-1)]).toEqual([6, removedOn, addedOn]);
  // A statement is not missing before it is due to be fetched automatically.
  expect((await listAt(now, 0)).to).toBe(newest);
  expect((await listAt(now + 3_599_000, 3_600_000)).to).toBe(dayAfter(newest, -1));
  expect((await listAt(now + 3_600_000, 3_600_000)).to).toBe(newest);
});

test('reports and fetches the days until an account was removed, and none after (R22.18)', async () => {
  const before = (await missingOf('third')).RUB;
  const reason = { body: { reason: 'over' } };
  const third = '/admin/v1/providers/sandbox/accounts/third';
  for (const act of ['switch-off', 'remove'])
    expect((await console.call(`POST ${third}/${act}`, reason)).status).toBe(200);
  // It is removed today, so its days until yesterday can still be fetched, with its last key.
  expect((await missingOf('third')).RUB).toEqual(before);
  const fetched = await fetchDay(newest, { account: 'sandbox/third' });
  expect(fetched).toMatchObject({ body: { outcome: 'imported' } });
  await console.waitForReadModels();
  const { db, directory } = console;
  const inTenDays = Date.now() + 10 * 86_400_000;
  const later = { ...withoutAccounts, db, directory, statementsAfterMs: 0 };
  const { to, missing } = await listMissing(later, inTenDays);
  expect(to > dayAfter(newest)).toBe(true);
  const { days } = missing.find(({ account }) => account === 'third') ?? {};
  expect(days).toEqual([dayAfter(newest), dayAfter(newest, -1)]);
});
