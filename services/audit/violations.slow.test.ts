import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { digestFields } from '#shared/application/statements/import-statement.ts';
import { type StoredLine } from '#shared/domain/statements/events.ts';
import type { ReportKeys } from './log/callbacks/verify-report.ts';
import { auditLog } from './testing/audit-log.ts';
import {
  aboutLate,
  accountAdded,
  after,
  all,
  alteredCallback,
  atAccount,
  by,
  change,
  type Corruption,
  dataOf,
  drop,
  erasedFirst,
  expiredAtOnce,
  firstAdmin,
  followedBy,
  lateReport,
  rootSigned,
  sandbox,
  set,
  shopOfOlderVersion,
  signedLeg,
  signedReport,
  storedLeg,
  unnamedAdmin,
  without,
  withReport,
} from './testing/corruptions/changes.ts';
import { corruptions, writeLog } from './testing/corruptions/index.ts';
import { auditorKeys, erasedKey, otherSecret, storedCallback } from './testing/stored-reports.ts';
import {
  approved,
  type NamedEvents,
  otherShopId,
  payment,
  payout,
  reviewed,
  shopId,
  validLog,
} from './testing/valid-log.ts';

it.each(corruptions)('reports $rule: $what', async ({ rule: broken, corruption }) => {
  const events = writeLog(corruption);
  for (const inMemory of [1, 1_000]) {
    const { findings } = await auditLog(events, { inMemory, reportKeys: auditorKeys });
    const named = findings.filter(({ rule }) => rule === broken);
    expect(findings.map(({ rule }) => rule)).toContain(broken);
    expect(named[0]?.stream).not.toBe('');
    expect(named[0]?.message).not.toBe('');
  }
});

it('has a corruption for each condition under which a violation is reported (R18.2)', async () => {
  const program = fileURLToPath(new URL('testing/untested-conditions.ts', import.meta.url));
  // Code from the compile cache has no coverage.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(JSON.parse(stdout)).toEqual([]);
  // Hundreds of audits, without optimised code.
});

it.each([1, 1_000])(
  'accepts signed roots of the entries (%i in memory, R25.3)',
  async (inMemory) => {
    const ofShop = { ofShop: true };
    const events = writeLog(rootSigned({ signed: [{ ...ofShop, without: 1 }, ofShop, {}, {}] }));
    expect(events.filter(({ type }) => type === 'CheckpointSigned')).toHaveLength(4);
    // Programs that signed a shop's tree posted entries of an older version.
    for (const entry of events.filter(({ type }) => type === 'EntryPosted'))
      entry.metadata = Buffer.from(
        entry.metadata.toString('utf8').replace('"schema_version":4', '"schema_version":3'),
      );
    expect((await auditLog(events, { inMemory })).findings).toEqual([]);
  },
);

it.each([1, 1_000])(
  'reports the status of each stored callback (%i in memory)',
  async (inMemory) => {
    const counted = async (corruption?: Corruption, reportKeys = auditorKeys) => {
      const events = writeLog(corruption);
      const { findings, reports } = await auditLog(events, { inMemory, reportKeys });
      expect(findings).toEqual([]);
      return Object.fromEntries(Object.entries(reports).filter(([, value]) => value !== 0));
    };
    const both = { stored: 2, erased: 1, tried: true, missingSecrets: [] };
    expect(await counted(undefined)).toEqual({ ...both, verified: 1 });
    const byOther = storedCallback(payment, signedReport, { secret: otherSecret });
    const earlier = withReport('payment-leg', byOther);
    const hint = byOther.secret_hint;
    expect(await counted(earlier)).toEqual({ ...both, no_secret: 1, missingSecrets: [hint] });
    const byAccount = all(after('token', accountAdded), atAccount, earlier);
    expect(await counted(byAccount)).toEqual({ ...both, verified: 1 });
    // Without a secret of its account, a match with another account's secret proves nothing.
    const none = { ...auditorKeys, secrets: new Map<string, never>() };
    const shared = all(after('token', accountAdded), earlier);
    expect(await counted(shared, none)).toEqual({
      ...both,
      no_secret: 1,
      missingSecrets: [storedCallback(payment, signedReport).secret_hint, hint],
    });
    const unwrap = () => {
      throw new Error('no master key');
    };
    const noMaster = await counted(undefined, { ...auditorKeys, masters: { unwrap } });
    expect(noMaster).toEqual({ ...both, no_master_key: 1 });
    // The callback of a client who was already erased is stored without its content.
    const { sealed: _, ...bare } = storedCallback(payout, {});
    const afterErasure = all(erasedFirst, withReport('payout-completed', bare));
    expect(await counted(afterErasure)).toEqual({ ...both, verified: 1 });
    // If the client's key could not be read on receipt, the callback is not counted as erased.
    const unreadable = alteredCallback({ sealed: undefined, unsealed: 'key_unreadable' });
    const lost = all(change('key-in-use', { master_key_id: 'lost' }), unreadable);
    expect(await counted(lost)).toEqual({ ...both, not_read: 1 });
    // The stream of an erased client's key may or may not have been scavenged.
    const cleaned = drop('erased-key', 'erasure-retired');
    expect(await counted(cleaned)).toEqual({ ...both, verified: 1 });
  },
);

it('counts callbacks without verifying them if it has no keys', async () => {
  const { findings, reports } = await auditLog(writeLog());
  expect(findings).toEqual([]);
  expect(reports).toMatchObject({ stored: 2, erased: 1, not_read: 1, verified: 0, tried: false });
});

it('accepts a destroyed key whose stream was scavenged', async () => {
  const events = writeLog(drop('erased-key', 'erasure-retired'));
  expect(events.filter(({ stream }) => stream === `personal-key-${erasedKey}`)).toHaveLength(1);
  expect((await auditLog(events)).findings).toEqual([]);
});

it('judges an operation of an older version by the rules of that version', async () => {
  const older = (name: string) =>
    all(set(name, { schemaVersion: 2 }), change(name, { body_hash: 'hash' }));
  const asOlderVersion = all(
    shopOfOlderVersion,
    drop('confirmed-rest', 'excess', 'excess-suspense'),
    older('approved-admitted'),
    // Withdrawn after its approval, so its money was late.
    followedBy('approved-completed', 'AttemptWithdrawn', { attempt: 1 }),
    set('confirmed', { type: 'LateMoneyReceived', schemaVersion: 1 }),
    // Accepted without requisites.
    older('payment-admitted'),
    without('payment-accepted', 'requisites'),
  );
  const { findings } = await auditLog(writeLog(asOlderVersion));
  // That money is not in suspense in this log.
  expect(findings.filter(({ rule }) => rule !== 'late.suspense_missing')).toEqual([]);
});

it('counts events older than key and token ids separately', async () => {
  const before = all(
    shopOfOlderVersion,
    by('setup-1', unnamedAdmin),
    by('setup-2', unnamedAdmin),
    by('payment-admitted', { actor: `merchant:${shopId}` }),
    change('payment-admitted', { body_hash: 'hash' }),
    set('payment-admitted', { schemaVersion: 2 }),
    // Within a day, an instance of the older version may still be running.
    by('adjustment', unnamedAdmin),
    set('adjustment', { schemaVersion: 1 }),
  );
  const sound = await auditLog(writeLog(before));
  expect(sound.findings).toEqual([]);
  expect(sound.notes).toContain(
    '4 events of merchants and operators are older than the ids of keys and tokens',
  );
  const later = all(before, set('adjustment', { atMs: Date.parse('2026-02-02T12:00:00.000Z') }));
  const { findings } = await auditLog(writeLog(later));
  expect(findings.map(({ rule }) => rule)).toContain('authority.token');
});

it('accepts a provider’s statement requested by an operator (R22.13)', async () => {
  const corruption = all(by('stated-lines', firstAdmin), by('stated', firstAdmin));
  const { findings } = await auditLog(writeLog(corruption));
  expect(findings).toEqual([]);
});

it('accepts the leg id of a return that an older version prefixed with its attempt', async () => {
  const older = all(
    shopOfOlderVersion,
    change('returned', { of_leg_id: '1:m1' }),
    set('returned', { schemaVersion: 1 }),
    // Resolved by the current version.
    change('returned-suspense', { of_leg_id: '1:m1' }),
  );
  expect((await auditLog(writeLog(older))).findings).toEqual([]);
});

it('counts confirmed lines, open findings and closed findings (R22.13)', async () => {
  const noted = async (corruption?: Corruption) => {
    const events = writeLog(corruption);
    const { findings, notes } = await auditLog(events);
    expect(findings.filter(({ rule }) => /^statement\.(whole|closed)/.test(rule))).toEqual([]);
    return notes.find((note) => note.startsWith('statements of providers'));
  };
  const said = (confirmed: number, open: number, closed: number) =>
    `statements of providers: 1 days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by operators`;
  const before = await noted();
  const [, open = ''] = /(\d+) findings open/.exec(before ?? '') ?? [];
  expect(before).toBe(said(3, Number(open), 1));
  // Another amount of the payment's first leg: its line is no longer confirmed, and the ledger
  // differs.
  const leg = { leg: storedLeg('l1', '41.00') };
  expect(await noted(change('payment-leg', leg))).toBe(said(2, Number(open) + 2, 1));
  expect(await noted(drop('fee-closed'))).toBe(said(3, Number(open) + 1, 0));
  // The leg's finding is closed instead, with an id in the new form or an old one; the fee is open.
  const legClosed = (id: (operationId: string) => string) => (events: NamedEvents) => {
    const [line] = dataOf(events, 'stated-lines')['lines'] as StoredLine[];
    const finding_id = id(line?.operation_id ?? '');
    const note = { finding: 'amount_differs', amount: '40.00', counted: '41.00' };
    change('fee-closed', { finding_id, ...note })(events);
  };
  for (const id of [
    (operationId: string) => `amount_differs.transfer@${operationId}:l1`,
    (operationId: string) => `amount_differs@${operationId}:l1`,
    () => 'amount_differs:l1',
  ])
    expect(await noted(all(change('payment-leg', leg), legClosed(id)))).toBe(
      said(2, Number(open) + 2, 1),
    );
  // The finding had other amounts when it was closed.
  expect(await noted(change('fee-closed', { amount: '1.00' }))).toBe(before);
  // A closing balance that differs; an operator has closed that finding with this amount.
  const balance = (events: NamedEvents) => {
    const lines = dataOf(events, 'stated-lines')['lines'] as StoredLine[];
    const digest = hash('sha256', [...lines.map(digestFields), '0.00', '49.01'].join('\n'), 'hex');
    change('stated', { closing_balance: '49.01', digest })(events);
  };
  expect(await noted(balance)).toBe(said(3, Number(open) + 1, 1));
  const of = { finding_id: 'balance_differs', finding: 'balance_differs' };
  const right = change('fee-closed', { ...of, amount: '49.01', counted: '49.00' });
  expect(await noted(all(balance, right))).toBe(said(3, Number(open) + 1, 1));
  const wrong = change('fee-closed', { ...of, amount: '50.00', counted: '49.00' });
  expect(await noted(all(balance, wrong))).toBe(said(3, Number(open) + 2, 0));
  const another = { amount: '1.00', counted: '1.00' };
  expect(await noted(change('fee-closed', another))).toBe(said(3, Number(open) + 1, 0));
});

it('lists what only unsigned responses of providers support, with its money (R18.10)', async () => {
  const noted = async (corruption?: Corruption, ofShop?: string) => {
    const events = writeLog(corruption);
    const { notes } = await auditLog(events, { ...(ofShop !== undefined && { shopId: ofShop }) });
    return notes.find((note) => note.startsWith('only unsigned responses of providers'));
  };
  const said = (...parts: string[]) =>
    `only unsigned responses of providers support ${parts.join('; ')}`;
  const money = `1 ends with money (100.00 RUB): ${payment} (100.00 RUB)`;
  const of = (sum = '5.00') => `${payment} (${sum} RUB)`;
  const ofOther = `${approved} (175.00 RUB)`;
  const late = `1 late facts (5.00 RUB): ${of()}`;
  const lateOfOther = `4 late facts (175.00 RUB): ${ofOther}`;
  expect(await noted()).toBe(said(money, `5 late facts (180.00 RUB): ${of()}, ${ofOther}`));
  expect(await noted(undefined, shopId)).toBe(said(money, late));
  expect(await noted(undefined, otherShopId)).toBe(said(lateOfOther));
  // The callback of the terminal status contains all of its money.
  const signed = all(
    by('payment-completed', sandbox),
    withReport('payment-completed', storedCallback(payment, lateReport('5.00'))),
  );
  expect(await noted(signed, shopId)).toBe(said(late));
  const numbered = change('reviewed-accepted+0', { report_version: 2 });
  const expired = all(expiredAtOnce(undefined), numbered);
  expect(await noted(expired, shopId)).toBe(said(money, `1 ends without money: ${reviewed}`, late));
  // At a provider that does not number its reports, while the window is open for years.
  const unnumbered = all(
    expiredAtOnce('2031-01-31T12:30:00.000Z'),
    without('payment-leg', 'report_version'),
  );
  expect(await noted(unnumbered, shopId)).toBe(
    said(money, `1 expiries before the window ended: ${reviewed}`, late),
  );
  const difference = followedBy('late', 'DifferenceReported', {
    ...aboutLate,
    currency: 'RUB',
    of: 'transfer',
    corrects: 'l3',
    leg: signedLeg('l3:corrected-1', '-1.00'),
    counted_amount: '5.00',
    reported_amount: '4.00',
  });
  expect(await noted(difference, shopId)).toBe(
    said(money, `2 late facts (6.00 RUB): ${of('6.00')}`),
  );
  // Decided by an operator, but at the FX rate of the provider.
  const rate = change('approved-accepted', { fx_rate: '0.012500' });
  expect(await noted(rate, otherShopId)).toBe(
    said(`1 ends with money (100.00 RUB): ${approved} (100.00 RUB)`, lateOfOther),
  );
});

it('lists the money of callbacks that were not verified (R18.10)', async () => {
  const noted = async (corruption?: Corruption, reportKeys?: ReportKeys) => {
    const { notes } = await auditLog(writeLog(corruption), { ...(reportKeys && { reportKeys }) });
    return notes.filter((note) => note.startsWith('only callbacks that were not verified'));
  };
  const said = (...operations: string[]) =>
    `only callbacks that were not verified support ${operations.join('; ')}`;
  const ended = `1 ends with money (50.00 RUB): ${payout} (50.00 RUB)`;
  expect(await noted()).toEqual([said(ended)]);
  expect(await noted(undefined, auditorKeys)).toEqual([]);
  // An event that follows in the append of such a callback.
  const appended = by('payment-completed', sandbox);
  expect(await noted(appended)).toEqual([
    said(`2 ends with money (150.00 RUB): ${payment} (100.00 RUB), ${payout} (50.00 RUB)`),
  ]);
  const unknown = all(
    by('late', sandbox),
    withReport('late', storedCallback(payment, lateReport('5.00'), { secret: otherSecret })),
  );
  expect(await noted(unknown, auditorKeys)).toEqual([
    said(`1 late facts (5.00 RUB): ${payment} (5.00 RUB)`),
  ]);
});

it('defers an entry that became due a moment ago', async () => {
  const events = writeLog(drop('capture'));
  const nowMs = Date.parse('2026-01-31T12:00:10.000Z');
  const { findings, inFlight } = await auditLog(events, { nowMs });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(1);
});

it('does not report an open payment as overdue before its window ends', async () => {
  const names = [...validLog().keys()];
  const corruption = all(
    drop(...names.slice(names.indexOf('payment-leg'))),
    change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
  );
  const events = writeLog(corruption);
  const as = (time: string) => auditLog(events, { nowMs: Date.parse(time) });
  expect(await as('2026-01-31T12:00:10.000Z')).toMatchObject({ findings: [], inFlight: 0 });
  expect(await as('2026-01-31T15:00:10.000Z')).toMatchObject({ findings: [], inFlight: 1 });
  expect((await as('2026-01-31T15:00:31.000Z')).findings).toMatchObject([
    { rule: 'operation.overdue' },
  ]);
});
