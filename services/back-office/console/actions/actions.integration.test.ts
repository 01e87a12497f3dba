import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { roles, type Role } from '#shared/domain/operator/events.ts';
import { fixedToken } from '../../api/authentication.ts';
import type { AdminDatabase, AdminDb } from '../../api/database.ts';
import { rolesByRoute } from '../../api/roles.ts';
import { unavailable, unavailableDependencies } from '../../testing/edge.ts';
import { createConsole } from '../app.ts';
import { migrateConsole } from '../session/tables.ts';
import { createVisitor, type Visitor } from '../testing/visitor.ts';
import { listActions } from '../../frame/site-map.ts';
import { consoleSections } from '../pages.ts';

const actions = listActions(consoleSections).map(({ action }) => action);
const tokenOf = (role: Role) => `the-token-of-the-${role}`;
let storeCalls = 0;
const counted = () => {
  storeCalls += 1;
  return unavailable();
};

const database = databaseForFile();
let db: AdminDb;
let app: ReturnType<typeof createConsole>;
beforeAll(async () => {
  db = connectDatabase<AdminDatabase>(database.url, { applicationName: 'actions-test' });
  await migrateConsole(db);
  const fixedTokens = roles.map((role) => fixedToken(tokenOf(role), { name: role, role }));
  app = createConsole(unavailableDependencies({ db, fixedTokens }, counted));
});
afterAll(() => db.destroy());
const visitor = (): Visitor => createVisitor((path, init) => app.request(path, init));

test('every command of the API is exactly one action of the console (R16.11)', () => {
  const commands = Object.keys(rolesByRoute).filter((route) => !route.startsWith('GET '));
  expect(actions.map(({ route }) => route).toSorted()).toEqual(commands.toSorted());
  // The parameters of the request come from the path of the page or from the form.
  for (const { path, route, request } of actions) {
    const named = route.match(/:\w+/g) ?? [];
    const chosen = Object.keys(request?.({}).params ?? {});
    const hasValue = (name: string) => path.includes(name) || chosen.includes(name.slice(1));
    expect([path, named.every(hasValue)]).toEqual([path, true]);
  }
});

describe.each(roles)('as %s', (role) => {
  test.each(actions.map(({ path, route }) => [path, route] as const))(
    '%s follows the roles of its route',
    async (pattern, route) => {
      const someone = visitor();
      expect((await someone.signIn(tokenOf(role))).location).toBe('/');
      const path = pattern.replaceAll(/:\w+/g, '6f1c1c9e-0000-4000-8000-000000000000');
      const may = rolesByRoute[route]?.includes(role) ?? false;
      storeCalls = 0;
      const statuses = [await someone.get(path), await someone.post(path, {})].map(
        ({ status }) => status === 403,
      );
      // A form without its form token is rejected for every role.
      expect([...statuses, may || storeCalls === 0]).toEqual([!may, true, true]);
    },
  );
});
