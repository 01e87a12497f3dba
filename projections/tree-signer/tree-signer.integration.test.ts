import { sql, type Kysely } from 'kysely';
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { NotProved, verifyStatements } from '#clients/typescript/statement/verify.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import {
  checkpointKeyStream,
  checkpointStream,
  decodeCheckpointEvent,
} from '#shared/domain/ledger/checkpoints.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { checkpointsJson } from '../ledger/checkpoints.ts';
import { ledgerReadModel } from '../ledger/read-model.ts';
import { planStatement, statementJson } from '../ledger/statement.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { append, appendLedgers } from '../testing/append.ts';
import { busyLedger } from '../testing/ledger-histories.ts';
import { hasReached, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { HistoryChanged, signTree } from './sign-tree.ts';
import { startSigner } from './signer.ts';
import { createSigningKey } from './signing-key.ts';

const timeoutMs = { timeoutMs: 30_000 };
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
  const books = busyLedger(shopId, 600);
  const count = books.entries.length;
  const firstHalf = { ...books, entries: books.entries.slice(0, 300) };
  const inEuro = { ...busyLedger(shopId, 3), currency: 'EUR' };
  const euro = {
    ...inEuro,
    entries: inEuro.entries.map((entry) => ({ ...entry, currency: 'EUR' })),
  };

  const sign = async (db: Kysely<unknown>) => {
    const { rows } = await sql<{ size: number }>`
      select size from gateway.ledger_trees where shop_id = ${shopId}`.execute(db);
    const size = rows[0]?.size ?? 0;
    return signTree({ db, store: own.store, key, now: Date.now, everyMs: 0 }, { shopId, size });
  };
  const waitForReadModel = async (db: Kysely<unknown>, position: bigint) =>
    waitUntil('caught up', () => hasReached(db, position, 'ledger'), timeoutMs);
  const newest = async () => {
    const [event] = await own.store.read(checkpointStream(shopId), {
      direction: 'backwards',
      maxCount: 1,
    });
    return event && { ...decodeCheckpointEvent(event).data, position: event.position };
  };
  const statement = async (
    db: Kysely<unknown>,
    { currency = 'RUB', from = begin, to = new Date() } = {},
  ) => {
    const plan = await planStatement(db, { shopId, currency, from, to });
    if (!plan) return undefined;
    let text = '';
    for await (const chunk of statementJson(db, plan)) text += chunk;
    return JSON.parse(text);
  };

  it('can be verified, continue each other, and survive a rebuild (R25.1, R25.3)', async () => {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [firstHalf], { perWrite: 100 }));
    expect(await statement(db)).toBeUndefined();
    expect(await sign(db)).toBe('signed');
    expect(await sign(db)).toBe('not_due');
    await waitForReadModel(db, (await newest())?.position ?? 0n);

    const to = new Date();
    const first = await statement(db, { to });
    expect(first.entries).toHaveLength(300);
    expect(first).toMatchObject({ opening: '0.00', checkpoint: { tree_size: 300 } });
    expect(verifyStatements({ statements: [first], keys })).toContain('300 entries');

    await waitUntil('a later time', () => Date.now() > to.getTime(), timeoutMs);
    await appendLedgers(own.store, [euro]);
    const events = books.entries.slice(300).map((data) => ({ type: 'EntryPosted', data }));
    const stream = ledgerStream(shopId, 'RUB');
    await waitForReadModel(db, await append(own.store, stream, { events, after: 299 }));
    expect(await statement(db)).toBeUndefined();
    expect(await sign(db)).toBe('signed');
    await waitForReadModel(db, (await newest())?.position ?? 0n);

    const end = new Date();
    const second = await statement(db, { from: to, to: end });
    const other = await statement(db, { currency: 'EUR', from: to, to: end });
    expect(second).toMatchObject({
      opening: first.closing,
      consistency: { from_size: 300 },
      checkpoint: { tree_size: count + 3 },
    });
    expect(other.entries.map(({ proof }: { proof: { index: number } }) => proof.index)).toEqual([
      300, 301, 302,
    ]);
    const input = { statements: [second, other], previous: first, keys };
    expect(verifyStatements(input)).toContain(`${count - 297} entries`);
    // A later signature does not change an earlier statement.
    expect(await statement(db, { to })).toEqual(first);

    const rebuilt = await rebuild({ db, store: own.store, model: ledgerReadModel, logger });
    expect(rebuilt).toMatchObject({ swapped: true, comparison: { different: 0 } });
    expect(await statement(db, { from: to, to: end })).toEqual(second);

    let text = '';
    for await (const chunk of checkpointsJson(db, { shopId, fromSize: 301 })) text += chunk;
    expect(JSON.parse(text)).toEqual({
      checkpoints: [{ ...second.checkpoint, consistency: second.consistency }],
    });
    expect(projections.notReady()).toBeUndefined();
  });

  it('are not signed if the ledger tables differ from what was signed (R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await own.store.head());
    await sql`update gateway.ledger_tree_nodes set hash = ${'A'.repeat(43)}
      where shop_id = ${shopId} and number = 0`.execute(db);
    await expect(
      signTree(
        { db, store: own.store, key, now: Date.now, everyMs: 0 },
        { shopId, size: count + 4 },
      ),
    ).rejects.toThrow(HistoryChanged);
    const altered = await statement(db, { to: new Date() });
    expect(() => verifyStatements({ statements: [altered], keys })).toThrow(NotProved);
  });

  it('are not signed if the tables have an entry that is not in the log (R25.3)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-lost', 3)]));
    const tree = { shopId: 'shop-lost', size: 3 };
    const signing = { db, store: own.store, key, now: Date.now, everyMs: 0 };
    await sql`update gateway.journal_entries set entry_id = 'lost'
      where shop_id = 'shop-lost' and leaf_index = 2`.execute(db);
    expect(await signTree(signing, tree)).toBe('not_in_log');
    expect(await signTree(signing, { ...tree, size: 2 })).toBe('signed');
  });

  it('are signed even if many shops before them cannot be (R25.3)', async () => {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-last', 2)]));
    await projections.stop();
    // More than one round of each kind: the log has another history of the shop, or no entry.
    for (const kind of ['other', 'lost'])
      await sql`insert into gateway.ledger_trees (shop_id, size, frontier, newest_at, position)
        select ${kind} || '-' || number, 1, '', now(), 1
        from generate_series(1, 210) as number`.execute(db);
    await sql`update gateway.ledger_trees set signed_at = ${begin}
      where shop_id = 'shop-last'`.execute(db);
    const data = {
      shop_id: 'other',
      tree_size: 0,
      root: 'other',
      signed_at: begin.toISOString(),
      key_id: key.keyId,
      signature: 'none',
    };
    const events = [{ type: 'CheckpointSigned', data }];
    await append(own.store, checkpointStream('other'), { events });
    const store: EventStore = {
      ...own.store,
      read: (stream, request) =>
        own.store.read(stream.replace(/^checkpoints-other-.*/, 'checkpoints-other'), request),
    };
    const metrics = createMetrics('test');
    const signer = startSigner({ db, store, logger, metrics, key, everyMs: 0 });
    onTestFinished(() => signer.stop());
    const isSigned = async () => (await own.store.read(checkpointStream('shop-last'))).length > 0;
    await waitUntil('signed', isSigned, timeoutMs);
    expect(await metrics.getSingleMetricAsString('gateway_checkpoints_refused_total')).toContain(
      ' 210',
    );
  });

  it('are signed by one process; a new key retires the previous one (R25.6)', async () => {
    const { db } = await useDb();
    useProjections({ db, store: own.store, models });
    await waitForReadModel(db, await appendLedgers(own.store, [busyLedger('shop-other', 2)]));
    const signer = (of: string) => {
      const metrics = createMetrics('test');
      const options = { db, store: own.store, logger, metrics, everyMs: 0 };
      return startSigner({ ...options, key: createSigningKey(of) });
    };
    const signedBy = async () => {
      const events = await own.store.read(checkpointStream('shop-other'));
      return events.map((event) => decodeCheckpointEvent(event).data.key_id);
    };
    const first = signer(seed);
    const second = signer(seed);
    await waitUntil('signed', async () => (await signedBy()).length > 0, timeoutMs);
    await Promise.all([first.stop(), second.stop()]);
    const changed = signer(randomBytes(32).toString('base64'));
    onTestFinished(() => changed.stop());
    const types = async () => (await own.store.read(checkpointKeyStream)).map(({ type }) => type);
    await waitUntil('the key changed', async () => (await types()).length > 1, timeoutMs);
    expect(await types()).toEqual([
      'CheckpointKeyAdded',
      'CheckpointKeyRetired',
      'CheckpointKeyAdded',
    ]);
    expect(await signedBy()).toEqual([key.keyId]);
  });
});
