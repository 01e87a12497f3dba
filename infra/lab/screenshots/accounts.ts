import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import type { BusyGateway } from '#services/back-office/console/testing/busy-gateway.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';

const accounts = '/providers/sandbox/accounts';

/**
 * Three accounts with the sandbox, one of them switched off, and routes that name one, with daily
 * limits.
 */
export async function addAccounts(
  { urls }: TestStack,
  { admin, shopId }: BusyGateway,
): Promise<void> {
  const labels = {
    main: 'OOO Books, agreement 118',
    reserve: 'OOO Books, agreement 204',
    games: 'IP Kedrov',
  };
  for (const [account, label] of Object.entries(labels)) {
    await openAccount(urls.sandbox, account);
    await admin('POST', accounts, { account, label, credentials: accountCredentials(account) });
  }
  await admin('POST', `${accounts}/games/switch-off`, { reason: 'The agreement is being renewed' });
  const { routes } = await admin<{ routes: object[] }>('GET', `/shops/${shopId}/routes`);
  const [first = {}, second = {}, ...rest] = routes;
  const limited = { ...first, account: 'main', daily_count: 200, daily_amount: '500000.00' };
  await admin('PUT', `/shops/${shopId}/routes`, {
    routes: [limited, { ...second, daily_amount: '250000.00' }, ...rest],
  });
}
