import { hash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { acceptance, givenPayment } from '#services/processor/testing/operations.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { auditStream, type AuditEvent } from '#shared/domain/audit/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { newId } from '#shared/platform/ids.ts';
import { createAdminAccessLog } from '../api/access-log.ts';
import { listPages } from '../frame/site-map.ts';
import { tokens } from '../testing/admin.ts';
import { fillPath } from '../testing/fill-path.ts';
import { consoleSections } from './pages.ts';
import { useConsole } from './testing/console.ts';
import type { Visitor } from './testing/visitor.ts';

const lines: string[] = [];
const console = useConsole({
  accessLog: createAdminAccessLog({ write: (line) => void lines.push(line) }),
});
let visitor: Visitor;
const parameters: Record<string, string> = {
  provider: 'sandbox',
  account: 'default',
  currency: 'RUB',
  day: '2026-01-01',
  audit: '0',
};
/** Without these a page may have no personal data to show. */
const queries = (path: string) =>
  ({
    '/operations': '?q=*0004',
    '/review': `?operation=${parameters['operation_id']}`,
    '/review/several': `?operation=${parameters['operation_id']}`,
  })[path] ?? '';

beforeAll(async () => {
  visitor = await console.visitor(tokens.operator);
  const [shop_id, receipt_id] = [await console.newShop(), newId()];
  const receipt = Buffer.from('%PDF-');
  const after: OperationEvent[] = [
    {
      type: 'ReceiptUploaded',
      data: { receipt_id, sha256: hash('sha256', receipt, 'hex'), size_bytes: 5, pdf: true },
    },
    { type: 'ManualCheckStarted', data: { receipt_id, reason: 'potential_fake' } },
  ];
  const payment = { shopId: shop_id, answers: [acceptance()], after };
  const operation_id = await givenPayment(console.store, payment);
  console.receipts.set(receiptKey(operation_id, receipt_id), receipt);
  const [ran] = storedExamples.audit as unknown as [AuditEvent];
  const events = toNewEvents([ran], { actor: 'service:audit', correlationId: newId() });
  await console.store.append({ stream: auditStream, expectedRevision: -1, events });
  Object.assign(parameters, { shop_id, operation_id, receipt_id });
  await console.waitForReadModels();
});

test.each(
  listPages(consoleSections).map(({ page, section }) => [page.path, page, section] as const),
)(
  '%s is answered, marks its section, and logs the personal data that it shows (R16.22)',
  async (pattern, { discloses = [] }, { path: current }) => {
    lines.length = 0;
    const { status, text } = await visitor.get(
      `${fillPath(pattern, parameters)}${queries(pattern)}`,
    );
    const [, marked] = /<a href="([^"]*)"[^>]* aria-current="page"/.exec(text) ?? [];
    // A file has no navigation.
    const isPage = text.startsWith('<!doctype html>');
    expect([pattern, status, marked]).toEqual([pattern, 200, isPage ? current : undefined]);
    const shown = lines.map((line) => (JSON.parse(line) as { shown: string }).shown);
    expect([...new Set(shown)]).toEqual(discloses);
  },
);
