import { expect, it } from 'vitest';
import { acceptance, givenPayment } from '#services/processor/testing/operations.ts';
import { newId } from '#shared/platform/ids.ts';
import { createAdminAccessLog } from './access-log.ts';
import { useAdmin, tokens } from '../testing/admin.ts';

const lines: string[] = [];
const admin = useAdmin({
  accessLog: createAdminAccessLog({ write: (text) => void lines.push(text) }),
});

it('logs who read the personal data of which operation, but none of the data', async () => {
  const operationId = await givenPayment(admin.store, { shopId: newId(), answers: [acceptance()] });
  const path = `/admin/v1/operations/${operationId}`;
  expect((await admin.call(`GET ${path}`, { token: tokens.operator })).status).toBe(200);
  const upperCase = `/admin/v1/operations/${operationId.toUpperCase()}`;
  const asAuditor = { token: tokens.auditor, headers: { 'x-request-id': 'seen-1' } };
  await admin.call(`GET ${upperCase}/events`, asAuditor);
  // Rejected requests show nothing, so they are not logged.
  await admin.call(`GET /admin/v1/operations/${newId()}`, { token: tokens.auditor });
  await admin.call(`GET ${path}`, { token: 'wrong' });
  const oleg = { operator: 'oleg', role: 'operator', token_id: 'first' };
  const shown = { operation_id: operationId };
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { service: 'admin', level: 'info', log: 'access', ...oleg, ...shown, shown: 'operation' },
    { log: 'access', operator: 'anna', ...shown, shown: 'events', requestId: 'seen-1' },
  ]);
  expect(lines).toHaveLength(2);
  // The line has no other fields.
  const line = JSON.parse(lines[0] ?? '') as Record<string, string>;
  const { level, time, service, msg, requestId, ...entry } = line;
  expect([level, service, msg]).toEqual(['info', 'admin', 'personal data was shown']);
  expect([typeof time, typeof requestId]).toEqual(['string', 'string']);
  const fields = ['log', 'operator', 'role', 'token_id', 'operation_id', 'shown'];
  expect(Object.keys(entry)).toEqual(fields);
});
