import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { askAdmin } from '#infra/verify/harness/shops/merchant.ts';
import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';
import { dayMs } from '#shared/domain/day.ts';
import { jsonPlant, planted, type Way } from './plants.ts';

/** Another account, for hostile changes. */
export const otherAccount = 'other';
const name = 'hostile';
/** Payments of this amount and above use the account. */
export const accountFrom = '7000.00';
export const accountRoute = { account: name, priority: 0, min_amount: accountFrom };
const accounts = '/providers/sandbox/accounts';
export const statementHeader =
  'kind,direction,leg_id,amount,currency,completed_at,of_leg_id,operation_id,attempt';

/** Creates both accounts, at the provider and in the gateway, so that routes can name them. */
export async function openAccounts(stack: TestStack): Promise<void> {
  for (const account of [name, otherAccount]) {
    await openAccount(stack.urls.sandbox, account);
    const body = { account, label: account, credentials: accountCredentials(account) };
    const added = await askAdmin(stack, 'POST', accounts, body);
    if (added.status !== 201) throw new Error(`no account ${account}: ${JSON.stringify(added)}`);
  }
}

/**
 * Imports yesterday's statement of the account, with a line of unknown money.
 * @param pending a payment by the account, which can be paid
 */
export async function uploadStatement(stack: TestStack, pending: string) {
  const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
  const path = `/statements/sandbox/${name}/RUB/${day}`;
  const statement = `/admin/v1${path}`;
  const imported = await fetch(`${stack.urls.admin}${statement}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.adminToken}`, 'content-type': 'text/csv' },
    body: `${statementHeader}\ntransfer,in,leg-1,10.00,RUB,${day}T12:00:00.000Z,,,\n`,
  });
  if (!imported.ok) throw new Error(await imported.text());
  let findingId = '';
  const found = async () => {
    const { body } = await askAdmin(stack, 'GET', path);
    findingId = String(body.findings?.[0]?.finding_id ?? '');
    return findingId !== '';
  };
  await eventually('the statement has a finding', found);
  return { name, credentials: accountCredentials(name), pending, statement, day, findingId };
}

/** The planted values as an account's credentials, and as lines of its statement. */
export function accountWays(
  urls: TestStack['urls'],
  token: string,
  { statement }: Awaited<ReturnType<typeof uploadStatement>>,
): Way[] {
  const authorization = `Bearer ${token}`;
  return Object.values(planted).flatMap((value): Way[] => [
    jsonPlant(
      `${urls.admin}/admin/v1${accounts}`,
      { account: 'leak', label: 'x', credentials: { api_key: value, secret: value } },
      { authorization },
    ),
    {
      to: `${urls.admin}${statement}/import`,
      method: 'POST',
      headers: { authorization, 'content-type': 'text/csv' },
      body: `${statementHeader}\n${value},in,${value},${value},RUB,${value},,,\n"${value}"x,\n`,
    },
  ]);
}
