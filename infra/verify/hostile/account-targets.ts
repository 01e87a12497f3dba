import { randomUUID } from 'node:crypto';
import { signCallback } from '#shared/application/providers/sandbox/signature.ts';
import { makeForm } from '#infra/verify/harness/shops/form.ts';
import { getRequests, jsonRequest, type SeedRequest } from './attack.ts';
import type { AttackedStack } from './attacked-stack.ts';
import { otherAccount, statementHeader } from './attacked-account.ts';

const at = '/admin/v1/providers/sandbox/accounts';

/** Accounts with a provider, and the statements of one: also a file of lines. */
export function accountRequests({ account, completed }: AttackedStack): SeedRequest[] {
  const { credentials, statement, findingId, day } = account;
  const spare = `${at}/${otherAccount}`;
  const line = `transfer,in,leg-9,10.50,RUB,${day}T12:00:00.000Z`;
  const csv = [statementHeader, `${line},,,`, `${line.replace('leg-9', 'leg-10')},,${completed},1`];
  const balances = '?opening_balance=0.00&closing_balance=21.00';
  const file = (path: string): SeedRequest => ({
    method: 'POST',
    path: `${path}/import${balances}`,
    csv,
  });
  return [
    jsonRequest('POST', at, { account: 'fuzz', label: 'Fuzz', credentials }),
    jsonRequest('POST', `${spare}/credentials`, { credentials, revoke_previous: true }),
    jsonRequest('PATCH', spare, { label: 'Fuzz' }),
    jsonRequest('POST', `${spare}/switch-off`, { reason: 'fuzz' }),
    jsonRequest('POST', `${spare}/switch-on`, { reason: 'fuzz' }),
    jsonRequest('POST', `${at}/default/remove`, { reason: 'fuzz' }),
    jsonRequest('POST', '/admin/v1/providers/bank/accounts', {
      account: 'fuzz',
      label: 'Fuzz',
      credentials: { account: '40702810000000000001', key: 'a-key-of-the-bank' },
    }),
    ...getRequests(at, `${spare}/check`),
    file(statement),
    file(statement),
    file(statement.replace(day, '2099-12-31')),
    jsonRequest('POST', `${statement}/fetch`, {}),
    ...getRequests('/admin/v1/missing-statements'),
    jsonRequest('POST', `/admin/v1/missing-statements/sandbox/${account.name}/RUB/fetch`, {}),
    jsonRequest('POST', `${statement}/close-finding`, {
      finding_id: findingId,
      decision: 'explained',
      note: 'fuzz',
    }),
    ...getRequests(
      `${statement}?finding=unknown_line&status=open&limit=5`,
      `/admin/v1/statements?provider=sandbox&account=${account.name}&currency=RUB&from=${day}&to=${day}`,
      '/admin/v1/statements.csv?provider=sandbox&time_zone=Europe/Berlin',
      '/admin/v1/statement-findings?finding=unknown_line&status=open&cursor=x',
      `/admin/v1/statement-findings.csv?from=${day}`,
    ),
  ];
}

/** The same in the console: pages, and forms with their tokens. */
export function accountPages({ account, console }: AttackedStack): SeedRequest[] {
  const { credentials, statement, findingId, day } = account;
  const act = (path: string, fields: Record<string, string> = {}): SeedRequest => ({
    method: 'POST',
    path,
    fields: { form_token: console.formToken, once: randomUUID(), confirmed: 'yes', ...fields },
  });
  const accounts = '/providers/sandbox/accounts';
  const page = statement.replace('/admin/v1', '');
  const { api_key, callback_secret } = credentials;
  const secrets = { credentials_api_key: api_key, credentials_callback_secret: callback_secret };
  const closing = `${page}/close-finding/${encodeURIComponent(findingId)}`;
  const of = { account: `sandbox/${account.name}`, currency: 'RUB', day };
  const upload = (more: Record<string, string> = {}): SeedRequest => ({
    method: 'POST',
    path: '/statements/import',
    form: makeForm(
      { form_token: console.formToken, once: randomUUID(), ...of, ...more },
      Buffer.from(`${statementHeader}\ntransfer,in,leg-11,10.50,RUB,${day}T12:00:00.000Z,,,\n`),
      { name: 'file', filename: 'day.csv', type: 'text/csv' },
    ),
  });
  return [
    ...getRequests(
      '/providers',
      `${accounts}?check=${otherAccount}`,
      `${accounts}/new?account=fuzz&label=fuzz`,
      `/statements?provider=sandbox&account=${account.name}&from=${day}&to=${day}&cursor=x`,
      `${page}?finding=unknown_line&status=open`,
      closing,
      `/statements/import?account=sandbox%2F${account.name}&currency=RUB&day=${day}`,
      `/statements/ask?account=sandbox%2F${account.name}&currency=RUB&day=${day}`,
    ),
    act('/statements/import', { ...of, held: 'x' }),
    upload(),
    upload({ confirmed: 'yes' }),
    act('/statements/ask', of),
    act(`/statements/missing/sandbox/${account.name}/RUB/ask`),
    act(`${accounts}/new`, { account: 'page', label: 'Page', ...secrets }),
    act(`${accounts}/${otherAccount}/credentials`, { ...secrets, revoke_previous: 'yes' }),
    act(`${accounts}/${otherAccount}/rename`, { label: 'Page' }),
    act(`${accounts}/${otherAccount}/switch-off`, { reason: 'page' }),
    act(`${accounts}/${otherAccount}/switch-on`, { reason: 'page' }),
    act(closing, { finding_id: findingId, decision: 'explained', note: 'page' }),
  ];
}

/**
 * A provider's callbacks to the URL of an account, signed with its secret; also about an operation
 * of another account.
 */
export function accountCallbacks({ account, pending }: AttackedStack): SeedRequest[] {
  const path = `/callbacks/sandbox/${account.name}`;
  const { callback_secret: secret } = account.credentials;
  return reports({ path, secret, id: 'msg-2' }, [account.pending, pending, randomUUID()]);
}

/** The sandbox's signed callbacks about an attempt of each operation. */
export const reports = (
  { path, secret, id }: { path: string; secret: string; id: string },
  operationIds: readonly string[],
): SeedRequest[] =>
  operationIds.map((operationId) => ({
    ...jsonRequest('POST', path, {
      key: `${operationId}.1`,
      operation_id: operationId,
      attempt: 1,
      version: 9,
      acceptance: 'accepted',
      reference: 'sbx_1',
      status: 'open',
      legs: [
        { leg_id: 'fuzz', amount: '0.01', completed_at: '2026-01-31T12:00:00.000Z', file: true },
      ],
    }),
    sign: (body) => ({ ...signCallback(secret, { id, body, nowMs: Date.now() }) }),
  }));
