import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { pino } from 'pino';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { startAdmin, tokens, type TestAdmin } from '#services/back-office/testing/admin.ts';
import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { directoryStream, setupLeaseMs } from '#shared/application/directory/stream.ts';
import { writeToDirectory } from '#shared/application/directory/testing/write.ts';
import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { newId } from '#shared/platform/ids.ts';
import { createProviders, type BuiltProviders } from '../index.ts';
import { sandboxAttempt } from '../testing/attempt.ts';
import { createCredentialKeys, type CredentialKeys } from './credential-keys.ts';
import { signCallback } from '../sandbox/signature.ts';
import { testCredentialKeys, testCredentialsKey } from './testing/credential-keys.ts';

// Provider accounts from the admin API to the provider and to other processes of the gateway.

const bounds = { timeoutMs: 20_000 };
const personalData = { PERSONAL_DATA_KEY: testMasterKey, PERSONAL_DATA_KEY_PREVIOUS: [] };
const path = '/admin/v1/providers/sandbox/accounts';

const sandbox = sandboxForFile();
const store = storeForFile();
let admin: TestAdmin;
/** The log lines of all processes. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
type Process = { directory: Directory; built: BuiltProviders };
const processes: Process[] = [];

function startProcess(credentialKeys: CredentialKeys = testCredentialKeys): Process {
  const directory = createDirectory(store);
  const config = { ...sandbox.config, BANK_ARRIVAL_MS: 1_000, BANK_CLOCK_SKEW_MS: 1_000 };
  const built = createProviders(config, logger, { accounts: { directory, credentialKeys } });
  const process = { directory, built };
  processes.push(process);
  return process;
}

beforeAll(async () => {
  const { built } = startProcess();
  const urls = { eventStoreUrl: inject('eventStoreUrl'), databaseUrl: inject('databaseUrl') };
  admin = await startAdmin(urls, { accounts: built.accounts, logger });
});
afterAll(async () => {
  await admin.stop();
  await Promise.all(processes.map(({ built }) => built.close()));
  await Promise.all(processes.map(({ directory }) => directory.stop()));
});

async function newAccount(): Promise<string> {
  const account = `a-${newId().slice(0, 13)}`;
  await openAccount(sandbox.url, account);
  const body = { account, label: 'L', credentials: accountCredentials(account) };
  expect((await admin.call(`POST ${path}`, { body })).status).toBe(201);
  return account;
}
const submissionBy = (account: string | undefined, options: Record<string, string> = {}) => {
  const attempt = sandboxAttempt(newId());
  const route = { ...attempt.route, options, ...(account !== undefined && { account }) };
  const request = {
    client_id: 'c',
    method: 'WT_RUB_C2C' as const,
    amount: '100.00',
    currency: 'RUB' as const,
  };
  return { ...attempt, route, request };
};
/** A command on an account. */
const command = (account: string, name: string, options: Parameters<TestAdmin['call']>[1] = {}) =>
  admin.call(`POST ${path}/${account}/${name}`, options);
/** The keys of a process that reads no callbacks. */
const keysWithoutCallbacks = (key: string) =>
  createCredentialKeys({
    ...personalData,
    PROVIDER_CREDENTIALS_KEY: key,
    PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
  });
const unreadable = { outcome: 'refused', reason: 'account_unreadable' };
const sandboxOf = ({ built }: Process) => built.providers.get('sandbox')!;
const checkResultOf = async (account: string) =>
  (await admin.call<{ result: string }>(`GET ${path}/${account}/check`)).body.result;

describe('a provider account', () => {
  it('is listed with operator, time and fingerprint, without its credentials (R23.2)', async () => {
    const account = await newAccount();
    const { body } = await admin.call<{ environment: boolean; accounts: { account: string }[] }>(
      `GET ${path}`,
      { token: tokens.auditor },
    );
    expect(body.environment).toBe(true);
    const listed = body.accounts.find((each) => each.account === account);
    expect(listed).toEqual({
      provider: 'sandbox',
      account,
      label: 'L',
      state: 'on',
      switched_off: null,
      removed: null,
      added: { by: 'alice', at: expect.any(String) },
      credentials: {
        version: 1,
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        by: 'alice',
        at: expect.any(String),
        previous_valid_until: null,
        readable: true,
        sealed_as_now: true,
      },
      callback_path: `/callbacks/sandbox/${account}`,
    });
  });

  it('is used by every process once added, and only by routes that name it (R23.3)', async () => {
    const account = await newAccount();
    const other = startProcess();
    const submitted = submissionBy(account);
    expect(await sandboxOf(other).submit(submitted, bounds)).toMatchObject({ outcome: 'accepted' });
    expect(await sandboxOf(other).ask(submitted, bounds)).toMatchObject({ outcome: 'known' });
    // The attempt belongs to that account: another account cannot poll it.
    for (const otherAccount of [undefined, await newAccount()]) {
      const { account: _, ...route } = submitted.route;
      const foreign = {
        ...submitted,
        route: { ...route, ...(otherAccount && { account: otherAccount }) },
      };
      expect(await sandboxOf(other).ask(foreign, bounds)).toMatchObject({ outcome: 'unknown' });
    }
  });

  it('gets no submissions if it is unknown or cannot be decrypted (R23.3)', async () => {
    const unknown = submissionBy('unknown');
    const [first] = processes;
    expect(await sandboxOf(first!).submit(unknown, bounds)).toEqual({
      outcome: 'refused',
      reason: 'account_not_configured',
    });
    expect(await sandboxOf(first!).ask(unknown, bounds)).toMatchObject({ outcome: 'unknown' });
    const key = Buffer.alloc(32, 9).toString('base64');
    const otherProcess = startProcess(keysWithoutCallbacks(key));
    const submitted = submissionBy(await newAccount());
    expect(await sandboxOf(otherProcess).submit(submitted, bounds)).toEqual(unreadable);
    expect(await sandboxOf(otherProcess).ask(submitted, bounds)).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('can have its credentials replaced under load without a failure (R23.4)', async () => {
    const account = await newAccount();
    const other = startProcess();
    const outcomes: string[] = [];
    const ended = new AbortController();
    const lane = async () => {
      while (!ended.signal.aborted) {
        const answer = await sandboxOf(other).submit(submissionBy(account), bounds);
        outcomes.push(answer.outcome);
      }
    };
    const lanes = [lane(), lane(), lane()];
    await openAccount(sandbox.url, account, [1, 2]);
    const replaced = await command(account, 'credentials', {
      body: { credentials: accountCredentials(account, 2) },
    });
    expect(replaced).toMatchObject({ status: 200, body: { credentials: { version: 2 } } });
    await openAccount(sandbox.url, account, [2]);
    const before = outcomes.length;
    await expect.poll(() => outcomes.length).toBeGreaterThan(before + 20);
    ended.abort();
    await Promise.all(lanes);
    expect(new Set(outcomes)).toEqual(new Set(['accepted']));
  });

  it('has its key checked at the provider (R23.6)', async () => {
    const account = await newAccount();
    expect(await checkResultOf(account)).toBe('ok');
    await openAccount(sandbox.url, account, [3]);
    expect(await checkResultOf(account)).toBe('refused');
    expect(await checkResultOf('default')).toBe('ok');
    expect((await admin.call(`GET ${path}/unknown/check`)).status).toBe(404);
  });

  it('has a limited rate of key checks per token', async () => {
    const other = await admin.call<{ token: string }>('POST /admin/v1/tokens', {
      body: { name: 'another', role: 'auditor' },
    });
    const check = async (token: string) => await admin.call(`GET ${path}/default/check`, { token });
    const statuses: number[] = [];
    let refused = await check(other.body.token);
    for (; refused.status === 200 && statuses.length < 30; refused = await check(other.body.token))
      statuses.push(refused.status);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await check(tokens.admin)).status).toBe(200);
  });

  it('has an unknown check result if the provider times out (R23.6)', async () => {
    const bank = controlBank(sandbox.url);
    const checkBank = async () =>
      (await admin.call('GET /admin/v1/providers/bank/accounts/default/check')).body;
    expect(await checkBank()).toMatchObject({ result: 'ok' });
    await bank.behave({ slow_ms: 6_000 });
    expect(await checkBank()).toMatchObject({ result: 'unknown', cause: 'timeout' });
    await bank.behave({});
  });

  it('is removed only once off; open attempts still use its credentials (R23.5)', async () => {
    const account = await newAccount();
    const [first] = processes;
    // The provider hangs, so the outcome is unknown.
    const submitted = { ...submissionBy(account, { accept: 'hang' }), type: 'payout' as const };
    const destination = { number: '2200000000000004' };
    const hung = { ...submitted, request: { ...submitted.request, destination } };
    const left = new AbortController();
    const submitting = sandboxOf(first!).submit(hung, { ...bounds, signal: left.signal });
    const control = `${sandbox.url}/control/operations/${submitted.operationId}`;
    await expect.poll(async () => (await fetch(control)).status).toBe(200);
    left.abort();
    expect(await submitting).toMatchObject({ outcome: 'unknown' });
    const body = { reason: 'the contract ends' };
    expect(await command(account, 'remove', { body })).toMatchObject({
      status: 409,
      body: { code: 'account_not_off' },
    });
    const off = await command(account, 'switch-off', { body, token: tokens.operator });
    expect(off.body).toMatchObject({
      state: 'off',
      switched_off: { by: 'oleg', reason: 'the contract ends' },
    });
    expect((await command(account, 'remove', { body })).body).toMatchObject({ state: 'removed' });
    await fetch(`${control}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ result: 'completed' }),
    });
    expect(await sandboxOf(first!).ask(hung, bounds)).toMatchObject({
      outcome: 'known',
      report: { status: 'completed' },
    });
    // The name of a removed account is never reused.
    const again = { account, label: 'L', credentials: accountCredentials(account) };
    expect((await admin.call(`POST ${path}`, { body: again })).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/account', code: 'field_invalid' }],
    });
  });
});

describe('credentials in the event log', () => {
  type ListedCredentials = { credentials: { version: number; readable: boolean } };
  const listCredentials = async (account: string) => {
    const { body } = await admin.call<{ accounts: (ListedCredentials & { account: string })[] }>(
      `GET ${path}`,
    );
    return body.accounts.find((each) => each.account === account)?.credentials;
  };
  const write = async (type: string, data: object) => {
    await writeToDirectory(store, type, data);
    await delay(setupLeaseMs);
  };

  it('cannot be decrypted if copied to a newer event (R23.2)', async () => {
    const account = await newAccount();
    const [first] = (await store.read(directoryStream)).filter(
      ({ data }) => (data as { account?: string }).account === account,
    );
    const { credentials } = first!.data as { credentials: object };
    const body = { credentials: accountCredentials(account, 2) };
    await command(account, 'credentials', { body });
    await write('ProviderAccountCredentialsReplaced', {
      provider: 'sandbox',
      account,
      credentials,
    });
    expect(await listCredentials(account)).toMatchObject({ version: 3, readable: false });
    const [process] = processes;
    expect(await sandboxOf(process!).submit(submissionBy(account), bounds)).toEqual(unreadable);
  });
});

describe('a process without the callbacks key', () => {
  it('uses the account for calls, and rejects its callbacks (R23.2)', async () => {
    const account = await newAccount();
    const caller = startProcess(keysWithoutCallbacks(testCredentialsKey));
    const submitted = submissionBy(account);
    expect(await sandboxOf(caller).submit(submitted, bounds)).toMatchObject({
      outcome: 'accepted',
    });
    const body = Buffer.from('{}');
    const headers = new Headers(
      signCallback(accountCredentials(account).callback_secret, {
        id: 'msg_1',
        body,
        nowMs: Date.now(),
      }),
    );
    const readBy = async ({ built }: Process) => {
      const used = await built.accounts.use({ provider: 'sandbox', account }, async ({ reports }) =>
        reports.by === 'callbacks' ? reports.readCallback(headers, body, Date.now()) : undefined,
      );
      return used.outcome === 'used' ? used.result : used;
    };
    const [first] = processes;
    expect(await readBy(first!)).toEqual({ ok: false, reason: 'malformed' });
    expect(await readBy(caller)).toEqual({ ok: false, reason: 'signature' });
  });
});

describe('an account command', () => {
  it('reports invalid fields by name, never by value (R23.2)', async () => {
    const wrong = 'short-secret';
    const answer = await admin.call(`POST ${path}`, {
      body: { account: 'No_', label: '', credentials: { api_key: wrong, extra: wrong } },
    });
    expect(answer.status).toBe(400);
    const pointers = (answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers.toSorted()).toEqual([
      '/account',
      '/credentials/api_key',
      '/credentials/callback_secret',
      '/credentials/extra',
      '/label',
    ]);
    expect(JSON.stringify(answer.body)).not.toContain(wrong);
    expect(
      (await admin.call(`POST ${path.replace('sandbox', 'nobody')}`, { body: {} })).status,
    ).toBe(404);
  });

  it('is forbidden to operators if it adds, removes or changes credentials (R23.1)', async () => {
    const account = await newAccount();
    const { operator: token } = tokens;
    const body = { credentials: accountCredentials(account, 2) };
    expect((await command(account, 'credentials', { body, token })).status).toBe(403);
    expect((await admin.call(`POST ${path}`, { body, token })).status).toBe(403);
    expect((await command(account, 'remove', { body, token })).status).toBe(403);
    expect((await admin.call(`GET ${path}/${account}/check`, { token })).status).toBe(200);
  });

  it('replaces the key of a bank account, but not its number (R23.4)', async () => {
    const banks = '/admin/v1/providers/bank/accounts';
    const account = `b-${newId().slice(0, 13)}`;
    const credentials = { account: '40702810500000000077', key: 'the-first-key-of-77' };
    await admin.call(`POST ${banks}`, { body: { account, label: 'L', credentials } });
    const replace = (change: object) =>
      admin.call(`POST ${banks}/${account}/credentials`, {
        body: { credentials: { ...credentials, ...change } },
      });
    expect((await replace({ account: '40702810500000000078' })).body).toMatchObject({
      errors: [{ pointer: '/credentials/account', code: 'field_invalid' }],
    });
    expect((await replace({ key: 'the-second-key-of-77' })).body).toMatchObject({
      credentials: { version: 2 },
    });
  });
});

it('accepts routes to existing accounts only (R23.3)', async () => {
  const [account, gone] = [await newAccount(), await newAccount()];
  for (const each of ['switch-off', 'remove']) await command(gone, each, { body: { reason: 'r' } });
  const shopId = await admin.newShop();
  const put = (route: object) =>
    admin.call(`PUT /admin/v1/shops/${shopId}/routes`, {
      body: {
        routes: [
          {
            type: 'payment',
            method: 'WT_RUB_C2C',
            currency: 'RUB',
            provider: 'sandbox',
            commission: { percent: '1' },
            ...route,
          },
        ],
      },
    });
  const refused = {
    status: 400,
    body: { errors: [{ pointer: '/routes/0/account', code: 'field_invalid' }] },
  };
  expect(await put({ account })).toMatchObject({ status: 200, body: { routes: [{ account }] } });
  expect((await put({ account: 'default' })).status).toBe(200);
  expect(await put({ account: 'unknown' })).toMatchObject(refused);
  expect(await put({ account: gone })).toMatchObject(refused);
  expect(await put({ account: '../x' })).toMatchObject(refused);
});

it('writes no secret in clear to events or log lines (R23.2)', async () => {
  const account = await newAccount();
  await openAccount(sandbox.url, account, [2]);
  await checkResultOf(account);
  const events = (await store.read(directoryStream)).filter(({ type }) =>
    type.startsWith('ProviderAccount'),
  );
  expect(events.length).toBeGreaterThan(5);
  expect(logged.length).toBeGreaterThan(0);
  const written = JSON.stringify([events.map(({ data, metadata }) => [data, metadata]), logged]);
  for (const secret of [
    'key-1-of-',
    'key-2-of-',
    accountCredentials(account).callback_secret.slice(0, 40),
    'the-first-key-of-77',
  ])
    expect(written).not.toContain(secret);
});
