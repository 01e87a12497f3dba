import { describe, expect, it } from 'vitest';
import { auditLog } from '../testing/audit-log.ts';
import { writeLog } from '../testing/corruptions/index.ts';
import { logKey, signEvent, signEvents } from '../testing/signed-log.ts';
import { auditorKeys } from '../testing/stored-reports.ts';
import { commands, consequences } from './commands.ts';
import { memberCommands } from './members.ts';
import { judgeSigner, signerRules } from './signers.ts';

type Signed = {
  signer: string;
  /** An entry's kind or a statement's source comes after it. */
  what: string;
  actor?: string;
  version?: number;
  report?: object;
  receipts?: readonly object[];
};

/** The rules that an event violates, by default in the signer's own name. */
function violated({ signer, what, actor = `service:${signer}`, version = 4, ...more }: Signed) {
  const rules: string[] = [];
  const report = ({ rule }: { rule: string }) => void rules.push(rule);
  const [type, qualifier] = what.split(' ');
  const event = { stream: 'operation-1', revision: 0, position: 1 };
  const envelope = {
    signer,
    type,
    actor,
    event,
    data: type === 'EntryPosted' ? { kind: qualifier } : { source: qualifier },
    metadata: { schema_version: version },
    report: more.report,
  };
  const entities = { of: () => ({ operation: { receipts: more.receipts ?? [] } }) };
  judgeSigner({ report, entities } as never, envelope as never, undefined);
  return rules;
}
const finding = ['authority.signer'];
const services = Object.keys(signerRules);
/** The services whose key may sign what an actor of this kind did. */
const signersFor = (what: string, actor: string) =>
  services.filter((signer) => violated({ signer, what, actor }).length === 0);

it.each([
  ['portal', 'CheckpointRequested'],
  ['merchant-api', 'CheckpointRequested'],
  ['projections', 'CheckpointSigned'],
  ['webhooks', 'WebhookDisabled'],
  ['webhooks', 'LogKeyBegan'],
  ['merchant-api', 'PayoutBatchFinished'],
  // The key of a row that failed.
  ['merchant-api', 'OperationCancelledBeforeCreate'],
  ['processor', 'StatementImported provider'],
  ['admin', 'SetupChanged'],
])('lets %s sign %s (R18.17)', (signer, what) => {
  expect(violated({ signer, what })).toEqual([]);
});

it.each([
  ['portal', 'OperationCompleted'],
  ['webhooks', 'OperationCompleted'],
  ['merchant-api', 'CheckpointSigned'],
  ['merchant-api', 'OperationCompleted'],
  ['merchant-api', 'LateMoneyReceived'],
  ['payment-page', 'OperationCompleted'],
  ['payment-page', 'PersonalKeyCreated'],
  ['processor', 'OperationAdmitted'],
  ['processor', 'PayoutBatchFinished'],
  ['processor', 'SetupChanged'],
  ['processor', 'ApiKeyUsed'],
  ['admin', 'StatementLinesRead'],
  ['admin', 'OperationAdmitted'],
  ['webhooks', 'StatementImported provider'],
])('does not let %s sign %s (R18.17)', (signer, what) => {
  expect(violated({ signer, what })).toEqual(finding);
});

describe('what people decide', () => {
  it.each([...commands.keys(), ...consequences])(
    'lets only the admin sign %s of an operator (R18.17)',
    (what) => expect(signersFor(what, 'operator:anna')).toEqual(['admin']),
  );

  it.each([...memberCommands.keys()])('lets only the portal sign %s of a member (R18.17)', (what) =>
    expect(signersFor(what, 'member:anna')).toEqual(['portal']),
  );
});

describe('a ledger entry', () => {
  const settling = ['merchant-api', 'processor', 'admin', 'portal', 'webhooks'];
  it.each([
    ['reserve', ['merchant-api']],
    ['capture', settling],
    ['release', settling],
    ['credit', settling],
    ['suspense', ['processor', 'admin']],
    ['adjustment', []],
    ['resolution', []],
  ])('of kind %s is signed by the service that posts it as its own (R18.17)', (kind, posting) => {
    const what = `EntryPosted ${kind}`;
    const own = services.filter((signer) => violated({ signer, what }).length === 0);
    expect(own.toSorted()).toEqual(posting.toSorted());
    // Not in the name of another service.
    for (const signer of services)
      expect(violated({ signer, what, actor: 'service:another' })).toEqual(finding);
  });

  it('of a merchant is signed by the merchant API, of an older version by any that posts (R18.17)', () => {
    const reserve = { what: 'EntryPosted reserve', actor: 'merchant:s' };
    const adjustment = { what: 'EntryPosted adjustment', actor: 'operator:anna' };
    expect(signersFor(reserve.what, reserve.actor)).toEqual(['merchant-api']);
    for (const entry of [reserve, adjustment])
      expect(
        services.filter((signer) => violated({ ...entry, signer, version: 3 }).length === 0),
      ).toEqual(settling);
  });
});

describe('a log with entries of an older version', () => {
  /** The findings of a log whose first entries are older; `signer` signs some of them. */
  async function findingsWith({
    older,
    signer,
  }: {
    older: 'first' | 'all' | 'last';
    signer: string;
  }) {
    const events = writeLog((named) => {
      const entries = [...named.values()].filter(({ type }) => type === 'EntryPosted');
      const chosen = { first: entries.slice(0, 2), all: entries, last: entries.slice(-1) }[older];
      for (const entry of chosen) entry.schemaVersion = 3;
    });
    signEvents(events);
    for (const event of events)
      if (event.type === 'EntryPosted' && event.metadata.includes('"schema_version":3'))
        signEvent(event, logKey(signer));
    return (await auditLog(events, { reportKeys: auditorKeys })).findings;
  }

  it.each(['first', 'all'] as const)(
    'has them signed by any service that shared a ledger (%s, R18.17)',
    async (older) => expect(await findingsWith({ older, signer: 'webhooks' })).toEqual([]),
  );

  it('has none of them after a newer one (R18.17)', async () => {
    const [found, ...more] = await findingsWith({ older: 'last', signer: 'webhooks' });
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      rule: 'log.older_version',
      stream: expect.stringMatching(/^ledger-/),
    });
  });
});

describe('what a provider reported', () => {
  const money = { what: 'LegReceived', actor: 'provider:sandbox' };
  const receipts = [{ receiptId: 'r' }];
  const report = { id: 'i' };

  it('is signed by the processor, with its callback (R18.17)', () => {
    expect(signersFor(money.what, money.actor)).toEqual(['processor']);
    expect(violated({ ...money, signer: 'processor', report })).toEqual([]);
  });

  it.each(['merchant-api', 'payment-page'])(
    'is signed by %s only as the answer to a receipt (R18.17)',
    (signer) => {
      expect(violated({ ...money, signer, receipts })).toEqual([]);
      expect(violated({ ...money, signer })).toEqual(finding);
      expect(violated({ ...money, signer, receipts, report })).toEqual(finding);
    },
  );

  it.each(['admin', 'portal', 'webhooks'])('is not signed by %s (R18.17)', (signer) => {
    expect(violated({ ...money, signer, receipts })).toEqual(finding);
  });
});
