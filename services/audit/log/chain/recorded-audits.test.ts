import { expect, it } from 'vitest';
import { auditStream, type AuditRan } from '#shared/domain/audit/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { newId } from '#shared/platform/ids.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { audit } from '../../audit.ts';
import { createFindings } from '../../report/findings/findings.ts';
import { eventOf } from '../../testing/corruptions/changes.ts';
import { appendLate, appendMoved } from '../../testing/corruptions/signatures.ts';
import { createLog } from '../../testing/log.ts';
import { setUpShops } from '../../testing/shops.ts';
import { signEvent, signEvents, testLogKeys } from '../../testing/signed-log.ts';
import { validLog } from '../../testing/valid-log.ts';
import type { RecordedJournal } from './recorded-audits.ts';

/** A top-up of 10.00. */
const toppedUp = ['adjustment', 'adjusted', 'adjustment-noted'].map((name) =>
  eventOf(validLog(), name),
);
const [ran, failed] = storedExamples.audit;

async function auditAll(events: readonly RawEvent[], earlier: readonly RecordedJournal[] = []) {
  const findings = createFindings();
  const log = {
    read: async function* (after: number) {
      yield events.filter(({ position }) => position > after);
    },
    head: async () => events.at(-1)?.position ?? 0,
    at: async (position: number) => events.find((event) => event.position === position),
    stream: async (name: string) => events.filter(({ stream }) => stream === name),
    close: async () => undefined,
  };
  const result = await audit({ log, findings, logKeys: testLogKeys, earlier });
  return { ...result, findings: findings.listed(), rules: Object.keys(findings.counts()) };
}

/** A log with a record of an audit of all before it, and an event after it. */
async function auditedLog(more: Partial<AuditRan> = {}) {
  const log = createLog();
  setUpShops(log, ['shop-1', 'shop-2']);
  for (const event of toppedUp) log.append(event);
  signEvents(log.events);
  const { position, chain, signedFrom, money } = await auditAll(log.events);
  const signed = signedFrom === undefined ? {} : { signed_from: String(signedFrom) };
  const data = {
    ...(ran.data as AuditRan),
    position: String(position),
    journal: chain,
    money,
    ...signed,
    ...more,
  };
  log.append({ stream: auditStream, type: 'AuditRan', data, actor: 'service:audit' });
  log.append({ stream: auditStream, ...failed, actor: 'service:audit' });
  signEvents(log.events.filter(({ position: at }) => at > position));
  return { log, position, chain };
}

it('finds nothing in a log that has all that earlier audits have read (R18.19)', async () => {
  const { log } = await auditedLog();
  const { rules, checked } = await auditAll(log.events);
  expect(rules).toEqual([]);
  expect(checked.recorded_audits).toBe(1);
});

const noMoney = { in: '0.00', out: '0.00', balance: '0.00', reserved: '0.00', commission: '0.00' };
const others = { provider: '0.00', suspense: '0.00', external: '0.00' };
const nothing = { currency: 'RUB', ...noMoney, ...others };

it.each([
  ['of all shops', { money: [{ ...nothing, in: '1000000.00' }] }],
  ['of a shop', { money: [nothing], audited_shop_id: 'shop-1' }],
  ['of another shop', { money: [nothing], audited_shop_id: 'shop-2' }],
])(
  'finds other money than the ledgers had in a recorded audit %s (R18.18)',
  async (_of, stated) => {
    const { log } = await auditedLog(stated);
    expect((await auditAll(log.events)).rules).toEqual(['log.figures']);
  },
);

it('finds the money of a shop in a recorded audit of it (R18.18)', async () => {
  const money = [{ ...nothing, balance: '10.00', external: '-10.00' }];
  const { log } = await auditedLog({ money, audited_shop_id: 'shop-1' });
  expect((await auditAll(log.events)).rules).toEqual([]);
});

it('finds that the newest event of a stream was deleted since an audit (R18.19)', async () => {
  const { log, position } = await auditedLog();
  const lasts = log.events.filter(
    (event) =>
      event.position <= position &&
      !log.events.some(
        ({ stream, revision }) => stream === event.stream && revision > event.revision,
      ),
  );
  expect(lasts.length).toBeGreaterThan(1);
  for (const last of lasts.filter(({ stream }) => stream.startsWith('shop-'))) {
    const { findings } = await auditAll(log.events.filter((event) => event !== last));
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: 'checkpoint.recorded', stream: auditStream, revision: 0 }),
    );
  }
});

it('finds a whole log that was replaced by one with fewer events (R18.19)', async () => {
  const { log } = await auditedLog();
  const record = log.events.find(({ stream }) => stream === auditStream) as RawEvent;
  expect((await auditAll([record])).rules).toContain('checkpoint.recorded');
});

it('finds that signatures were removed from the start of the log (R18.19)', async () => {
  const { log } = await auditedLog();
  const [first] = log.events as [RawEvent];
  const text = first.metadata.toString('utf8').replace(/,"signature":"[^"]*"/, '');
  const stripped = { ...first, metadata: Buffer.from(text) };
  const { findings, rules } = await auditAll(log.events.with(0, stripped));
  expect(rules).toContain('checkpoint.recorded');
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: 'log.unsigned', position: first.position }),
  );
});

/** The same events at other positions, in a store that began after them. */
function movedToAnotherStore(events: readonly RawEvent[]): RawEvent[] {
  const [first, last] = [events[0], events.at(-1)] as [RawEvent, RawEvent];
  const { createdTicks } = last;
  const own = {
    ...first,
    stream: '$$$scavenges',
    type: '$metadata',
    position: 1,
    id: newId(),
    createdTicks,
  };
  const log = events.map((event) => ({ ...event, position: event.position + 7 }));
  appendMoved(log);
  return [own, ...log];
}

it('does not compare what was recorded before the log was moved, and says so (R18.19)', async () => {
  const { log } = await auditedLog();
  const { rules, notes } = await auditAll(movedToAnotherStore(log.events));
  expect(rules).toEqual([]);
  expect(notes).toContain('1 recorded audits are of the log before it was moved: not compared');
});

const unproved = expect.stringMatching(/^nothing but LogMoved at position \d+ shows/);

it('counts what differs from records before a move that nothing else shows (R18.19)', async () => {
  const { log, position } = await auditedLog();
  appendMoved(log.events);
  const { rules, notes } = await auditAll(log.events);
  expect(rules).toEqual([]);
  expect(notes).toContainEqual(unproved);
  const last = log.events.findLast(
    (event) => event.stream.startsWith('shop-') && event.position <= position,
  );
  // A move to an embedded store is like this: its positions are others, and so is the chain.
  const differing = await auditAll(log.events.filter((event) => event !== last));
  expect(differing.rules).not.toContain('checkpoint.recorded');
  expect(differing.notes).toContainEqual(
    expect.stringMatching(/^1 recorded audits before the move differ from the log: if you did not/),
  );
});

it('does not take the position of another store for where signatures begin (R18.19)', async () => {
  const { log } = await auditedLog({ signed_from: '0' });
  expect((await auditAll(log.events)).rules).toContain('log.unsigned');
  appendMoved(log.events);
  expect((await auditAll(log.events)).rules).not.toContain('log.unsigned');
});

const auditedHere = ({ stream, type, metadata }: RawEvent) => ({ stream, type, metadata });

it('does not compare what another store recorded before the log was moved back (R18.19)', async () => {
  const { log } = await auditedLog();
  const record = log.events.findLast(({ type }) => type === 'AuditRan') as RawEvent;
  appendMoved(log.events);
  const revision = log.events.filter(({ stream }) => stream === auditStream).length;
  const data = Buffer.from(record.data.toString('utf8').replace(/"hash":"../, '"hash":"00'));
  signEvent(appendLate(log.events, { ...auditedHere(record), revision, data }));
  appendMoved(log.events, 1);
  const { rules, notes, checked } = await auditAll(log.events);
  expect(rules).toEqual([]);
  expect(checked.recorded_audits).toBe(1);
  expect(notes).toContain('1 recorded audits are of the log before it was moved: not compared');
});

it('believes one move to a store, and no second one (R18.19)', async () => {
  const { log } = await auditedLog();
  const moved = movedToAnotherStore(log.events);
  appendMoved(moved);
  const { notes } = await auditAll(moved);
  expect(notes).toContain('1 recorded audits are of the log before it was moved: not compared');
  expect(notes).toContainEqual(unproved);
});

it('compares every checkpoint that was saved, not only the newest (R18.19)', async () => {
  const { log, position, chain } = await auditedLog();
  const place = { rule: 'checkpoint.rewritten', stream: 'checkpoint-1.json' } as const;
  const saved = { position, ...chain, place };
  expect((await auditAll(log.events, [saved])).rules).toEqual([]);
  const other = { ...saved, hash: 'f'.repeat(64) };
  expect((await auditAll(log.events, [other])).rules).toEqual(['checkpoint.rewritten']);
});
