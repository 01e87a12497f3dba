import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { createSubmittedForms } from './submitted-forms.ts';
import { createSessions as createSessionsOf } from './sessions.ts';
import { inSchema, sessionTables, type SessionDatabase } from './tables.ts';

type Notice = { done: string; secret?: { label: string; value: string } };
const createSessions = createSessionsOf<Notice>;

const database = databaseForFile();
let connection: ReturnType<typeof connectDatabase<SessionDatabase>>;
let db: typeof connection;
beforeAll(async () => {
  connection = connectDatabase<SessionDatabase>(database.url, { applicationName: 'sessions-test' });
  db = inSchema(connection, 'house');
  await migrate(connection, {
    schema: 'house',
    migrations: { '001': sessionTables('house', 'the house') },
  });
});
beforeEach(async () => {
  await sql`truncate house.session, house.sent`.execute(connection);
});
afterAll(() => connection.destroy());

const holder = (name: string) => ({ holder: name, credentialHash: `hash-of-${name}` });
const limits = {
  idleMs: 60_000,
  lifetimeMs: 150_000,
  maxSessions: 3,
  maxPerHolder: 2,
  maxPerGroup: 3,
};

test('a session is found by its secret on every instance, until it is closed', async () => {
  const [here, there] = [createSessions(db, limits), createSessions(db, limits)];
  const [secret, other] = [await here.open(holder('anna')), await here.open(holder('oleg'))];
  const found = await there.find(secret);
  expect(found).toMatchObject({ holder: 'anna', secret });
  expect([found?.isOf('hash-of-anna'), found?.isOf('hash-of-oleg')]).toEqual([true, false]);
  expect((await here.find(secret))?.formToken).toBe(found?.formToken);
  expect((await here.find(other))?.formToken).not.toBe(found?.formToken);
  expect(await here.find(`${secret}x`)).toBeUndefined();
  await there.close(secret);
  expect(await here.find(secret)).toBeUndefined();
  expect(await here.find(other)).toBeDefined();
});

test('a session ends when it is idle, or at the end of its lifetime (R16.14)', async () => {
  let now = Date.now();
  const began = now;
  const sessions = createSessions(db, limits, () => now);
  const [idle, busy] = [await sessions.open(holder('idle')), await sessions.open(holder('busy'))];
  for (now += 36_000; now < began + 150_000; now += 36_000)
    expect(await sessions.find(busy)).toBeDefined();
  expect(await sessions.find(idle)).toBeUndefined();
  now = began + 150_000;
  expect(await sessions.find(busy)).toBeUndefined();
  // A sign-in deletes ended sessions.
  await sessions.open(holder('next'));
  expect(await db.selectFrom('session').select('token').execute()).toEqual([{ token: 'next' }]);
});

test('a new session closes the oldest one beyond the limit per holder or in total', async () => {
  let now = Date.now();
  const sessions = createSessions(db, limits, () => (now += 1));
  const open = async (names: string[]) => {
    const secrets: string[] = [];
    for (const name of names) secrets.push(await sessions.open(holder(name)));
    return secrets;
  };
  const areOpen = async (secrets: string[]) =>
    (await Promise.all(secrets.map((secret) => sessions.find(secret)))).map(
      (found) => found !== undefined,
    );
  const own = await open(['anna', 'anna', 'anna']);
  expect(await areOpen(own)).toEqual([false, true, true]);
  const others = await open(['oleg', 'ivan']);
  expect(await areOpen([...own, ...others])).toEqual([false, false, true, true, true]);
});

test('a group has a limit of its own, and closes no sessions of others', async () => {
  let now = Date.now();
  const sessions = createSessions(db, { ...limits, maxSessions: 9 }, () => (now += 1));
  const other = await sessions.open({ ...holder('shop-2/oleg'), group: 'shop-2/' });
  for (let each = 0; each < 9; each += 1)
    await sessions.open({ ...holder(`shop-1/${each}`), group: 'shop-1/' });
  expect(await sessions.find(other)).toBeDefined();
  const remaining = await db.selectFrom('session').select('token').orderBy('opened_at').execute();
  const expected = ['shop-2/oleg', 'shop-1/6', 'shop-1/7', 'shop-1/8'];
  expect(remaining.map(({ token }) => token)).toEqual(expected);
});

test('a notice is shown once, and encrypted in the database', async () => {
  const sessions = createSessions(db, limits);
  const session = { secret: await sessions.open(holder('anna')) };
  const notice = { done: 'done', secret: { label: 'key', value: 'gw_the-secret' } };
  await sessions.storeNotice(session, notice);
  const [first, second] = [
    await sessions.find(session.secret),
    await sessions.find(session.secret),
  ];
  expect(first?.notice).toEqual(notice);
  const dump = JSON.stringify(await db.selectFrom('session').selectAll().execute());
  expect(dump).not.toContain('gw_the-secret');
  expect(dump).not.toContain(Buffer.from('gw_the-secret').toString('base64'));
  const taken = [first, second].map((found) =>
    sessions.takeNotice({ ...session, notice: found?.notice }),
  );
  expect((await Promise.all(taken)).filter((each) => each !== undefined)).toEqual([notice]);
  expect((await sessions.find(session.secret))?.notice).toBeUndefined();
});

test('a form is executed once on all instances, and may be resent after a failure', async () => {
  const session = { secret: 'secret' };
  const [here, there] = [createSubmittedForms(db, Date.now), createSubmittedForms(db, Date.now)];
  let runs = 0;
  const gate = Promise.withResolvers<string>();
  const run = () => {
    runs += 1;
    return gate.promise;
  };
  const both = [here, there].map((once) => once(session, 'form-1', run));
  gate.resolve('/done');
  expect([await Promise.all(both), runs]).toEqual([['/done', '/done'], 1]);
  expect(await there(session, 'form-1', async () => '/again')).toBe('/done');
  expect(await there({ ...session, secret: 'another' }, 'form-1', async () => '/other')).toBe(
    '/other',
  );

  const broken = here(session, 'form-2', () => Promise.reject(new Error('unavailable')));
  await expect(broken).rejects.toThrow('unavailable');
  expect(await there(session, 'form-2', async () => '/now')).toBe('/now');
});
