import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { borrowStores } from './borrow-stores.ts';
import { hostsAndDatabase, stoppedStores, writeStoresFile } from './stores-file.ts';

function useFolder({ withData }: { withData: boolean }): string {
  const folder = useTempFolder();
  if (withData) {
    mkdirSync(join(folder, 'event-store'));
    writeFileSync(join(folder, 'event-store', 'events.db'), '');
    mkdirSync(join(folder, 'postgres', 'data'), { recursive: true });
  }
  return folder;
}

const eventStoreUrl = 'esdb://admin:secret@db-1:2113,db-2:2113?tls=true';
const databaseUrl = 'postgres://gateway:secret@db-3:5432/gateway';

it('records the stores of the last start, without passwords', () => {
  const folder = useFolder({ withData: true });
  expect(stoppedStores(folder)).toEqual({
    eventStore: { kind: 'embedded' },
    postgres: { kind: 'embedded' },
  });
  writeStoresFile(folder, { eventStoreUrl, databaseUrl });
  expect(stoppedStores(folder)).toEqual({
    eventStore: { kind: 'named', host: 'db-1:2113,db-2:2113' },
    postgres: { kind: 'named', host: 'db-3:5432/gateway' },
  });
  writeStoresFile(folder, {});
  expect(stoppedStores(folder).eventStore).toEqual({ kind: 'embedded' });
  expect(stoppedStores(useFolder({ withData: false })).postgres).toEqual({ kind: 'none' });
  expect(hostsAndDatabase('esdb://127.0.0.1:2113/?tls=false')).toBe('127.0.0.1:2113');
});

it.each([
  // The stores of the last start, the current environment, the variable to set.
  [{ eventStoreUrl, databaseUrl }, {}, /last ran on the event store at db-1.*set EVENT_STORE_URL$/],
  [{ eventStoreUrl }, {}, /set EVENT_STORE_URL$/],
  [{ databaseUrl }, {}, /last ran on the PostgreSQL at db-3.*set DATABASE_URL$/],
  [{ eventStoreUrl, databaseUrl }, { EVENT_STORE_URL: eventStoreUrl }, /set DATABASE_URL$/],
  [{ eventStoreUrl }, { EVENT_STORE_URL: 'esdb://other:2113' }, /at db-1.*set DATABASE_URL$/],
  [{ eventStoreUrl, databaseUrl }, { DATABASE_URL: databaseUrl }, /set EVENT_STORE_URL$/],
])('starts no stores other than those of the last start: %j, %j', async (last, env, problem) => {
  const folder = useFolder({ withData: true });
  writeStoresFile(folder, last);
  const before = readdirSync(folder, { recursive: true });
  await expect(borrowStores(folder, env)).rejects.toThrow(problem);
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
});

it('does not create an empty store (R18.6)', async () => {
  const folder = useFolder({ withData: false });
  writeStoresFile(folder, {});
  await expect(borrowStores(folder, {})).rejects.toThrow(
    /no data of an embedded event store is there/,
  );
  mkdirSync(join(folder, 'event-store'));
  writeFileSync(join(folder, 'event-store', 'events.db'), '');
  await expect(borrowStores(folder, {})).rejects.toThrow(
    /no data of an embedded PostgreSQL is there/,
  );
  expect(existsSync(join(folder, 'postgres'))).toBe(false);
});

it('uses a configured event store without the database of another log', async () => {
  const folder = useFolder({ withData: true });
  const named = { EVENT_STORE_URL: eventStoreUrl };
  expect(await borrowStores(folder, named)).toMatchObject({
    eventStoreUrl,
    databaseUrl: undefined,
  });
  writeStoresFile(folder, { eventStoreUrl, databaseUrl });
  const withoutDatabase = await borrowStores(folder, named, { withDatabase: false });
  expect(withoutDatabase).toMatchObject({ eventStoreUrl, databaseUrl: undefined });
});
