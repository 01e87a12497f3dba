import { sql, type Kysely } from 'kysely';
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { NotProved } from '#clients/typescript/statement/verify.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  checkpointKeyStream,
  checkpointRequestStream,
  checkpointStream,
  decodeCheckpointEvent,
} from '#shared/domain/ledger/checkpoints.ts';
import { UntrustedEvent } from '#shared/domain/decode.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { checkpointsJson } from '../ledger/checkpoints.ts';
import { ledgerReadModel } from '../ledger/read-model.ts';
import { findTree, planStatement, statementJson, type StatementPlan } from '../ledger/statement.ts';
import { createStatementPlans } from '../ledger/statement-plans.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { append, appendLedgers } from '../testing/append.ts';
import { busyLedger } from '../testing/ledger-histories.ts';
import { hasReached, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { verify } from '../testing/verify.ts';
import { setSigningKey } from './set-key.ts';
import { HistoryChanged, signTree } from './sign-tree.ts';
import { startSigner } from './signer.ts';
import { registerOpenFigures } from '../open-figures.ts';
import { createSigningKey } from './signing-key.ts';

const models = [ledgerReadModel];
const shopId = 'shop-busy';
const seed = randomBytes(32).toString('base64');
const key = createSigningKey(seed);
const begin = new Date(0);

describe('statements and checkpoints', () => {
  const own = useOwnEventStore();
  const keys = {
    keys: [
      {
        key_id: key.keyId,
        kty: 'OKP',
        crv: 'Ed25519',
        x: key.x,
        valid_from: begin.toISOString(),
        valid_until: null,
      },
    ],
  };
  const written = busyLedger(shopId, 600);
  const count = written.entries.length;
  const firstHalf = { ...written, entries: written.entries.slice(0, 300) };
  const inEuro = { ...busyLedger(shopId, 3), currency: 'EUR' };
  const euro = {
    ...inEuro,
    entries: inEuro.entries.map((entry) => ({ ...entry, currency: 'EUR' })),
  };

  const ledger = { shopId, currency: 'RUB' };
  const signing = { key, validFrom: 0, now: Date.now, everyMs: 0 };
  const sign = async (db: Kysely<unknown>, completeTo: number, of = ledger) =>
    signTree({ db, store: own.store, ...signing, completeTo }, of);
  const waitForReadModel = async (db: Kysely<unknown>, position: bigint) =>
    eventually('caught up', () => hasReached(db, position, 'ledger'));
  /** Signs all that there is, and waits until it is shown. @returns the time that is covered */
  const signAll = async (db: Kysely<unknown>, of = ledger) => {
    const completeTo = Date.now() + 1;
    await eventually('a later time', () => Date.now() > completeTo);
    expect(await sign(db, completeTo, of)).toBe('signed');
    const [event] = await own.store.read(checkpointStream(of.shopId, of.currency), {
      direction: 'backwards',
      maxCount: 1,
    });
    await waitForReadModel(db, event?.position ?? 0n);
    return new Date(completeTo);
  };
  const statement = async (
    db: Kysely<unknown>,
    { currency = 'RUB', from = begin, to }: { currency?: string; from?: Date; to: Date },
  ) => {
    const of = { shopId, currency };
    const size = (await findTree(db, of))?.size ?? 0;
    const plan = await planStatement(db, { ...of, from, to, size });
    if ('uncovered' in plan) return undefined;
    let text = '';
    for await (const chunk of statementJson(db, plan)) text += chunk;
    return JSON.parse(text);
  };

  it('can be verified, continue each other, and survive a rebuild (R25.1, R25.3)', async () => {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [firstHalf], { perWrite: 100 }));
    expect(await statement(db, { to: new Date() })).toBeUndefined();
    const to = await signAll(db);
    expect(await sign(db, to.getTime() + 1)).toBe('not_due');

    const first = await statement(db, { to });
    expect(first.entries).toHaveLength(300);
    expect(first).toMatchObject({
      version: 2,
      opening: '0.00',
      before: null,
      after: null,
      checkpoint: { origin: `${shopId}/RUB`, tree_size: 300, at: to.toISOString() },
    });
    expect(verify({ statement: first, keys })).toContain('300 entries');

    await appendLedgers(own.store, [euro]);
    const events = written.entries.slice(300).map((data) => ({ type: 'EntryPosted', data }));
    const stream = ledgerStream(shopId, 'RUB');
    await waitForReadModel(db, await append(own.store, stream, { events, after: 299 }));
    expect(await statement(db, { to: new Date() })).toBeUndefined();
    const end = await signAll(db);
    await signAll(db, { shopId, currency: 'EUR' });

    const second = await statement(db, { from: to, to: end });
    expect(second).toMatchObject({
      opening: first.closing,
      before: { proof: { index: 299 } },
      consistency: { from_size: 300 },
      checkpoint: { tree_size: count },
    });
    expect(verify({ statement: second, previous: first, keys })).toContain('entries');
    const other = await statement(db, { currency: 'EUR', from: to, to: end });
    expect(other.entries.map(({ proof }: { proof: { index: number } }) => proof.index)).toEqual([
      0, 1, 2,
    ]);
    expect(verify({ statement: other, keys })).toContain('3 entries');
    // A later signature does not change an earlier statement.
    expect(await statement(db, { to })).toEqual(first);

    const rebuilt = await rebuild({ db, store: own.store, model: ledgerReadModel, logger });
    expect(rebuilt).toMatchObject({ swapped: true, comparison: { different: 0 } });
    expect(await statement(db, { from: to, to: end })).toEqual(second);

    let text = '';
    for await (const chunk of checkpointsJson(db, { ...ledger, fromSize: 301 })) text += chunk;
    expect(JSON.parse(text)).toEqual({
      checkpoints: [{ ...second.checkpoint, consistency: second.consistency }],
    });
    expect(projections.notReady()).toBeUndefined();
  });

  it('have the entry before and the one after, of any period (R25.8)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await own.store.head());
    const { rows } = await sql<{ at: Date; revision: number }>`
      select distinct on (statement_at) statement_at as at, revision from gateway.journal_entries
      where shop_id = ${shopId} and currency = 'RUB' order by statement_at, revision`.execute(db);
    const [, second, , last] = [rows[0], rows[1], rows.at(-2), rows.at(-1)];
    if (!second || !last) throw new Error('the entries have too few times');
    const middle = await statement(db, { from: second.at, to: last.at });
    expect(middle).toMatchObject({
      before: { proof: { index: second.revision - 1 }, balance: middle.opening },
      after: { proof: { index: last.revision } },
    });
    expect(middle.entries).toHaveLength(last.revision - second.revision);
    expect(verify({ statement: middle, keys })).toContain(`${middle.entries.length} entries`);
    const none = await statement(db, { from: second.at, to: second.at });
    expect(none).toMatchObject({
      entries: [],
      opening: none.before.balance,
      closing: none.before.balance,
      after: { proof: { index: second.revision } },
    });
    expect(verify({ statement: none, keys })).toContain('0 entries');
  });

  it('are signed for a statement in which nothing is new, once it is requested (R25.1)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-idle', 2)]));
    const idle = { shopId: 'shop-idle', currency: 'RUB' };
    const plans = createStatementPlans({ db, store: own.store, service: 'test' });
    const requests = (currency: string) =>
      own.store.read(checkpointRequestStream('shop-idle', currency));
    const signer = startSigner({
      db,
      store: own.store,
      logger,
      metrics: createMetrics('test'),
      key: createSigningKey(seed),
      everyMs: 0,
    });
    onTestFinished(() => signer.stop());
    const planned = async (of: { currency: string; to: Date }) => {
      let plan: StatementPlan | undefined;
      const request = { shopId: 'shop-idle', from: begin, ...of };
      await eventually('covered', async () => {
        plan = await plans.plan(request).catch(() => undefined);
        return plan !== undefined;
      });
      return plan;
    };
    const grown = await planned({ ...idle, to: new Date() });
    expect(grown).toMatchObject({ end: 2, checkpoint: { tree_size: 2 } });
    expect(await requests('RUB')).toEqual([]);
    const later = await planned({ ...idle, to: new Date() });
    expect(later).toMatchObject({ end: 2, checkpoint: { tree_size: 2 }, fromSize: 2 });
    expect(await requests('RUB')).toHaveLength(1);
    const empty = await planned({ currency: 'USD', to: new Date() });
    expect(empty).toMatchObject({ end: 0, opening: '0.00', checkpoint: { tree_size: 0 } });
    expect(await requests('USD')).toHaveLength(1);
  });

  it('are requested one at a time, whatever the periods that are polled (R25.1)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    const appended = await appendLedgers(own.store, [busyLedger('shop-polled', 1)]);
    let clock = Date.now() - 600_000;
    const options = { db, store: own.store, service: 'test' };
    const plans = createStatementPlans(options, () => clock);
    const of = { shopId: 'shop-polled', currency: 'USD' };
    const requests = () => own.store.read(checkpointRequestStream(of.shopId, of.currency));
    const caughtUp = async () =>
      waitForReadModel(db, (await requests()).at(-1)?.position ?? appended);
    const poll = async (readOnly = false) => {
      await caughtUp();
      clock += 2_000;
      const period = { from: begin, to: new Date(clock - 5_000) };
      return plans.plan({ ...of, ...period, readOnly }).then(
        () => 'covered',
        ({ code }: { code?: unknown }) => code,
      );
    };
    const signDue = async () => {
      await caughtUp();
      const due = { ...signing, now: () => clock, everyMs: 10_000, completeTo: clock - 3_000 };
      return signTree({ db, store: own.store, ...due }, of);
    };
    expect(await poll(true)).toBe('not_ready');
    expect(await requests()).toEqual([]);
    for (let polls = 0; polls < 3; polls += 1) expect(await poll()).toBe('not_ready');
    expect(await requests()).toHaveLength(1);
    expect(await signDue()).toBe('signed');
    const isShown = async () => (await findTree(db, of))?.signed_at != null;
    await eventually('shown', isShown);
    expect(await poll()).toBe('covered');
    clock += 10_000;
    for (let polls = 0; polls < 3; polls += 1) expect(await poll()).toBe('not_ready');
    expect(await requests()).toHaveLength(2);
    expect(await signDue()).toBe('not_due');
    clock += 5_000;
    expect(await signDue()).toBe('signed');
  });

  it('are neither signed nor served while the newest entry lies in the future (R25.9)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models: [...models, suspenseReadModel] });
    const position = await appendLedgers(own.store, [busyLedger('shop-ahead', 2)]);
    await waitForReadModel(db, position);
    await eventually('caught up', () => hasReached(db, position, 'suspense'));
    const early = Date.now() - 3_600_000;
    const of = { shopId: 'shop-ahead', currency: 'RUB' };
    const ahead = { db, store: own.store, ...signing, now: () => early };
    expect(await signTree({ ...ahead, completeTo: early - 3_000 }, of)).toBe('in_future');
    const options = { db, store: own.store, service: 'test' };
    const plans = createStatementPlans(options, () => early);
    expect(await plans.asOf()).toBe(early - 3_000);
    const period = { from: begin, to: new Date(early - 60_000) };
    await expect(plans.plan({ ...of, ...period })).rejects.toMatchObject({
      code: 'not_ready',
      detail: expect.stringContaining('future'),
    });
    expect(await own.store.read(checkpointRequestStream('shop-ahead', 'RUB'))).toEqual([]);

    const refused: unknown[] = [];
    // An hour behind, then an hour ahead: the earlier of it and the database’s counts.
    let clock = early;
    const metrics = createMetrics('test');
    registerOpenFigures(metrics, db, () => early);
    expect(await metrics.getSingleMetricAsString('gateway_ledgers_in_future')).toMatch(
      / [1-9]\d*$/m,
    );
    const noting = { ...logger, error: (...line: unknown[]) => void refused.push(line) };
    const signer = startSigner({
      db,
      store: own.store,
      logger: noting,
      metrics,
      key,
      now: () => clock,
      everyMs: 0,
    });
    onTestFinished(() => signer.stop());
    const ofLedger = () => refused.filter((line) => JSON.stringify(line).includes(of.shopId));
    await eventually('refused', () => ofLedger().length > 0);
    expect(JSON.stringify(ofLedger())).toContain('lies in the future');
    clock = Date.now() + 3_600_000;
    const signed = () => own.store.read(checkpointStream(of.shopId, 'RUB'));
    await eventually('signed', async () => (await signed()).length > 0);
    const [first] = (await signed()).map((event) => decodeCheckpointEvent(event).data);
    expect(Date.parse(first?.signed_at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('bind later entries; one that lacks an earlier entry is never used (R25.2, R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models: [...models, suspenseReadModel] });
    const bound = busyLedger('shop-bound', 3);
    const of = { shopId: 'shop-bound', currency: 'RUB' };
    const firstTwo = { ...bound, entries: bound.entries.slice(0, 2) };
    const position = await appendLedgers(own.store, [firstTwo]);
    const signedAt = new Date(Date.now() + 3_600_000);
    const recordSigned = async (tree_size: number, after?: number) => {
      const signature = { root: 'r', key_id: key.keyId, signature: 's' };
      const data = { shop_id: of.shopId, currency: 'RUB', tree_size, ...signature };
      const events = [
        { type: 'CheckpointSigned', data: { ...data, signed_at: signedAt.toISOString() } },
      ];
      const stream = checkpointStream(of.shopId, 'RUB');
      return append(own.store, stream, { events, ...(after !== undefined && { after }) });
    };
    const rows = async () => {
      const found = await sql<{ tree_size: number }>`
        select tree_size from gateway.ledger_checkpoints where shop_id = 'shop-bound'`.execute(db);
      return found.rows;
    };
    await waitForReadModel(db, await recordSigned(1));
    expect(await rows()).toEqual([]);
    expect(await findTree(db, of)).toMatchObject({ size: 2, signed_size: null });
    await waitForReadModel(db, await recordSigned(2, 0));
    expect(await rows()).toEqual([{ tree_size: 2 }]);
    const tree = await findTree(db, of);
    expect(tree).toMatchObject({ signed_size: 2, signed_at: signedAt });
    expect(await sign(db, Date.now() - 3_000, of)).toBe('in_future');
    const plans = createStatementPlans({ db, store: own.store, service: 'test' });
    await expect(
      plans.plan({ ...of, from: begin, to: new Date(Date.now() - 60_000) }),
    ).rejects.toMatchObject({ detail: expect.stringContaining('future') });
    const metrics = createMetrics('test');
    await eventually('caught up', () => hasReached(db, position, 'suspense'));
    registerOpenFigures(metrics, db, () => Date.now());
    expect(await metrics.getSingleMetricAsString('gateway_ledgers_in_future')).toMatch(
      / [1-9]\d*$/m,
    );
    const events = bound.entries.slice(2).map((data) => ({ type: 'EntryPosted', data }));
    const stream = ledgerStream(of.shopId, 'RUB');
    await waitForReadModel(db, await append(own.store, stream, { events, after: 1 }));
    expect(await findTree(db, of)).toMatchObject({ size: 3, newest_at: signedAt });
    const lines: unknown[] = [];
    const noting = { ...logger, error: (...line: unknown[]) => void lines.push(line) };
    const signer = startSigner({ db, store: own.store, logger: noting, metrics, key });
    onTestFinished(() => signer.stop());
    await eventually('refused', () => lines.length > 0);
    expect(JSON.stringify(lines)).toContain('lies in the future');
  });

  it('are served of a period that was covered before an entry from the future (R25.9)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    const of = { shopId: 'shop-covered', currency: 'RUB' };
    const grown = busyLedger('shop-covered', 3);
    const half = { ...grown, entries: grown.entries.slice(0, 2) };
    await waitForReadModel(db, await appendLedgers(own.store, [half]));
    const to = await signAll(db, of);
    const events = grown.entries.slice(2).map((data) => ({ type: 'EntryPosted', data }));
    const stream = ledgerStream(of.shopId, 'RUB');
    await waitForReadModel(db, await append(own.store, stream, { events, after: 1 }));
    await sql`update gateway.ledger_trees set newest_at = ${new Date(Date.now() + 3_600_000)}
      where shop_id = 'shop-covered'`.execute(db);
    const plans = createStatementPlans({ db, store: own.store, service: 'test' });
    const settled = async () => (await plans.asOf()) > to.getTime();
    await eventually('the moment after is complete', settled);
    const planned = await plans.plan({ ...of, from: begin, to });
    expect(planned).toMatchObject({ end: 2, checkpoint: { tree_size: 2, signed_at: to } });
    await expect(
      plans.plan({ ...of, from: begin, to: new Date(to.getTime() + 1) }),
    ).rejects.toMatchObject({ detail: expect.stringContaining('future') });
  });

  it('are not signed if the ledger tables differ from what was signed (R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await own.store.head());
    await sql`update gateway.ledger_tree_nodes set hash = ${'A'.repeat(43)}
      where shop_id = ${shopId} and currency = 'RUB' and number = 0`.execute(db);
    const events = written.entries.slice(0, 1).map((data) => ({ type: 'EntryPosted', data }));
    const stream = ledgerStream(shopId, 'RUB');
    await waitForReadModel(db, await append(own.store, stream, { events, after: count - 1 }));
    await expect(sign(db, Date.now() + 1)).rejects.toThrow(HistoryChanged);
    const { rows } = await sql<{ to: Date }>`
      select max(signed_at) as to from gateway.ledger_checkpoints
      where shop_id = ${shopId} and currency = 'RUB'`.execute(db);
    const altered = await statement(db, { to: rows[0]?.to ?? begin });
    expect(() => verify({ statement: altered, keys })).toThrow(NotProved);
  });

  it('are not signed if the tables have an entry that is not in the log (R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-lost', 3)]));
    const of = { shopId: 'shop-lost', currency: 'RUB' };
    await sql`update gateway.journal_entries set entry_id = 'lost'
      where shop_id = 'shop-lost' and revision = 2`.execute(db);
    expect(await sign(db, Date.now() + 1, of)).toBe('not_in_log');
    await sql`delete from gateway.journal_entries
      where shop_id = 'shop-lost' and revision = 2`.execute(db);
    await expect(sign(db, Date.now() + 1, of)).rejects.toThrow('a ledger entry is missing');
  });

  it('are signed after few reads, however many entries are new (R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    const long = busyLedger('shop-long', 600);
    await waitForReadModel(db, await appendLedgers(own.store, [long], { perWrite: 100 }));
    const of = { shopId: 'shop-long', currency: 'RUB' };
    // Their hashes are in the nodes of the tree.
    await sql`delete from gateway.journal_entries
      where shop_id = 'shop-long' and revision < 100`.execute(db);
    expect(await sign(db, Date.now() + 1, of)).toBe('signed');
    const signed = await own.store.read(checkpointStream(of.shopId, 'RUB'));
    const [first] = signed.map((event) => decodeCheckpointEvent(event).data);
    expect(first).toMatchObject({ tree_size: long.entries.length });
  });

  it('name each ledger that can’t be signed in a line of the log', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    const shops = ['shop-torn-1', 'shop-torn-2'];
    const position = await appendLedgers(
      own.store,
      shops.map((shop) => busyLedger(shop, 1)),
    );
    await waitForReadModel(db, position);
    await sql`delete from gateway.journal_entries where shop_id = any(${shops})`.execute(db);
    const lines: string[] = [];
    const warn = (...line: unknown[]) => void lines.push(JSON.stringify(line));
    const metrics = createMetrics('test');
    const noting = { ...logger, warn };
    const signer = startSigner({ db, store: own.store, logger: noting, metrics, key });
    onTestFinished(() => signer.stop());
    const isNamed = (shop: string) => lines.some((line) => line.includes(`"${shop}"`));
    await eventually('both are named', () => shops.every(isNamed));
    expect(lines.join('\n')).toContain('a checkpoint can’t be signed');
  });

  it('are not signed with an entry that no service has signed (R17.15)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-planted', 3)]));
    const refuse = () => {
      throw new UntrustedEvent('planted');
    };
    const read: EventStore['read'] = async (...request) =>
      (await own.store.read(...request)).map((event) => ({ ...event, verify: refuse }));
    const of = { shopId: 'shop-planted', currency: 'RUB' };
    const completeTo = Date.now() + 1;
    const signed = signTree({ db, store: { ...own.store, read }, ...signing, completeTo }, of);
    await expect(signed).rejects.toThrow(UntrustedEvent);
    expect(await sign(db, completeTo, of)).toBe('signed');
  });

  it('are signed even if many ledgers before them cannot be (R25.3)', async () => {
    const { db } = await useDb();
    // Before the entries: what the tables lack bounds the time to which they are complete.
    const data = {
      shop_id: 'other',
      currency: 'RUB',
      tree_size: 0,
      root: 'other',
      signed_at: begin.toISOString(),
      key_id: key.keyId,
      signature: 'none',
    };
    const events = [{ type: 'CheckpointSigned', data }];
    await setSigningKey(own.store, key, Date.now);
    await append(own.store, checkpointStream('other', 'RUB'), { events });
    const projections = useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-last', 2)]));
    await projections.stop();
    // Other tests leave ledgers unsigned: what is signed of them would bound that time, too.
    await sql`delete from gateway.ledger_trees where shop_id <> 'shop-last'`.execute(db);
    // More than one round of each kind: the log has another history of the ledger, or no entry.
    for (const kind of ['other', 'lost'])
      await sql`
        with made as (
          insert into gateway.ledger_trees (shop_id, currency, size, frontier, newest_at, position)
          select ${kind} || '-' || number, 'RUB', 1, '', ${begin}, 1
          from generate_series(1, 210) as number returning shop_id)
        insert into gateway.journal_entries (shop_id, currency, revision, entry_id, kind, actor,
          to_balance, to_reserved, to_commission, to_provider, to_suspense, to_external,
          balance_after, reserved_after, posted_at, statement_at, leaf_hash, position)
        select shop_id, 'RUB', 0, 'none', 'credit', 'service:test', 0, 0, 0, 0, 0, 0, 0, 0,
          ${begin}, ${begin}, '', 1 from made`.execute(db);
    await sql`update gateway.ledger_trees set signed_at = ${begin}
      where shop_id = 'shop-last'`.execute(db);
    const store: EventStore = {
      ...own.store,
      read: (stream, request) =>
        own.store.read(
          stream.replace(/^checkpoints-other-.*/, checkpointStream('other', 'RUB')),
          request,
        ),
    };
    const metrics = createMetrics('test');
    const signer = startSigner({ db, store, logger, metrics, key, everyMs: 0 });
    onTestFinished(() => signer.stop());
    const isSigned = async () =>
      (await own.store.read(checkpointStream('shop-last', 'RUB'))).length > 0;
    await eventually('signed', isSigned);
    // A minute later they are refused, and counted, again.
    const refused = metrics.getSingleMetric('gateway_checkpoints_refused_total');
    const refusals = async () => (await refused?.get())?.values[0]?.value ?? 0;
    await eventually('each is refused', async () => (await refusals()) >= 210);
    expect(await refusals()).toBeGreaterThanOrEqual(210);
  });

  it('are signed by one process; a new key retires the previous one (R25.6)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-other', 2)]));
    const signer = (of: string, now = Date.now) => {
      const metrics = createMetrics('test');
      const options = { db, store: own.store, logger, metrics, now, everyMs: 0 };
      return startSigner({ ...options, key: createSigningKey(of) });
    };
    const signedBy = async () => {
      const events = await own.store.read(checkpointStream('shop-other', 'RUB'));
      return events.map((event) => decodeCheckpointEvent(event).data.key_id);
    };
    const first = signer(seed);
    const second = signer(seed);
    await eventually('signed', async () => (await signedBy()).length > 0);
    await Promise.all([first.stop(), second.stop()]);
    const shown = async () =>
      (await findTree(db, { shopId: 'shop-other', currency: 'RUB' }))?.signed_at;
    await eventually('shown', async () => (await shown()) != null);
    const changed = signer(randomBytes(32).toString('base64'), () => Date.now() - 3_600_000);
    onTestFinished(() => changed.stop());
    const types = async () => (await own.store.read(checkpointKeyStream)).map(({ type }) => type);
    await eventually('the key changed', async () => (await types()).length > 1);
    expect(await types()).toEqual([
      'CheckpointKeyAdded',
      'CheckpointKeyRetired',
      'CheckpointKeyAdded',
    ]);
    expect(await signedBy()).toEqual([key.keyId]);
    // Its clock is an hour behind: the key before is valid for all that it signed nevertheless.
    const [, retired] = (await own.store.read(checkpointKeyStream)).map(({ data }) => data);
    const { valid_until: end } = retired as { valid_until: string };
    expect(Date.parse(end)).toBeGreaterThanOrEqual((await shown())?.getTime() ?? Infinity);
  });
});
