import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { roles, type Role } from '#shared/domain/operator/events.ts';
import { html } from '#shared/platform/pages/index.ts';
import { createAdminAccessLog } from '../api/access-log.ts';
import { fixedToken } from '../api/authentication.ts';
import type { AdminDatabase, AdminDb } from '../api/database.ts';
import { unavailableDependencies } from '../testing/edge.ts';
import type { Action } from './actions/action.ts';
import { createConsole } from './app.ts';
import type { ConsoleSection } from './page-entry.ts';
import { consoleSections } from './pages.ts';
import { migrateConsole } from './session/tables.ts';
import { createVisitor, pageWith, type Visitor } from './testing/visitor.ts';

const words = (text: string) => ({ ru: text, en: text });
const fileAction: Action = {
  path: '/drawers/:drawer/file',
  route: 'POST /admin/v1/suspense/:entry_id/resolve',
  title: words('File it'),
  explain: words('It is filed.'),
  button: words('File'),
  done: words('Filed.'),
  prepare: async () => ({ about: [], back: '/drawers', trail: [] }),
  streams: () => [],
};
const drawers: ConsoleSection = {
  path: '/drawers',
  key: 'd',
  name: words('Drawers'),
  route: 'GET /admin/v1/tokens',
  render: () => ({ title: 'Drawers', body: html`<h1>All drawers</h1>` }),
  actions: [fileAction],
  below: [
    {
      path: '/drawers/:drawer',
      route: 'POST /admin/v1/tokens',
      discloses: ['receipt'],
      render: (c, { accessLog }) => {
        const shown = c.req.param('drawer') === 'top' ? 'receipt' : 'events';
        accessLog.saw(c.get('session').holder, { operationId: 'the-operation', shown });
        return { title: 'Top', body: html`<h1>One drawer</h1>` };
      },
    },
  ],
};

const tokenOf = (role: Role) => `the-token-of-the-${role}`;
const lines: string[] = [];
const database = databaseForFile();
let db: AdminDb;
let app: ReturnType<typeof createConsole>;
const visitors = {} as Record<Role, Visitor>;
beforeAll(async () => {
  (consoleSections as ConsoleSection[]).push(drawers);
  db = connectDatabase<AdminDatabase>(database.url, { applicationName: 'add-page-test' });
  await migrateConsole(db);
  const fixedTokens = roles.map((role) => fixedToken(tokenOf(role), { name: role, role }));
  const accessLog = createAdminAccessLog({ write: (line) => void lines.push(line) });
  app = createConsole({ ...unavailableDependencies({ db, fixedTokens }), accessLog });
  for (const role of roles) {
    visitors[role] = createVisitor((path, init) => app.request(path, init));
    await visitors[role].signIn(tokenOf(role));
  }
});
afterAll(async () => {
  (consoleSections as ConsoleSection[]).pop();
  await db.destroy();
});

test('an entry of the table has its routes', () => {
  const own = app.routes.filter(({ path, method }) => path.includes('drawer') && method === 'GET');
  const paths = ['/drawers/:drawer/file', '/drawers', '/drawers/:drawer'];
  expect(own.map(({ path }) => path)).toEqual(paths);
});

test('an entry of the table is in the navigation, with its key, and above the pages below it', async () => {
  const link = '<a href="/drawers" data-go="d" aria-current="page">Drawers</a>';
  for (const path of ['/drawers', '/drawers/top', '/drawers/top/file'])
    expect(await visitors.admin.get(path)).toMatchObject(pageWith(200, link));
  const { text } = await visitors.admin.get('/drawers/top');
  expect(text).toContain('<dt><kbd>d</kbd></dt><dd>Drawers</dd>');
  expect(text).toContain('<ol><li><a href="/drawers">Drawers</a></li>');
});

test('an entry of the table is for the roles of its route of the API', async () => {
  const statuses = (path: string) =>
    Promise.all(roles.map(async (role) => [role, (await visitors[role].get(path)).status]));
  const allowed = async (path: string) =>
    (await statuses(path)).flatMap(([role, status]) => (status === 200 ? [role] : []));
  expect(await allowed('/drawers')).toEqual(['admin', 'operator', 'auditor']);
  expect(await allowed('/drawers/top')).toEqual(['admin']);
  expect(await allowed('/drawers/top/file')).toEqual(['admin', 'operator']);
});

test('an entry of the table shows only the personal data that it names, and the access log has it (R16.22)', async () => {
  lines.length = 0;
  expect((await visitors.admin.get('/drawers/top')).status).toBe(200);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { log: 'access', operator: 'admin', operation_id: 'the-operation', shown: 'receipt' },
  ]);
  expect((await visitors.admin.get('/drawers/bottom')).status).toBe(500);
  expect(lines).toHaveLength(1);
});

test('the navigation has no section that the role may not open', async () => {
  const admins = { ...drawers, path: '/safes', name: words('Safes'), below: [], actions: [] };
  (consoleSections as ConsoleSection[]).push({ ...admins, route: 'POST /admin/v1/tokens' });
  try {
    const shown = await Promise.all(
      roles.map(async (role) => (await visitors[role].get('/drawers')).text.includes('Safes')),
    );
    expect(shown).toEqual([true, false, false]);
  } finally {
    (consoleSections as ConsoleSection[]).pop();
  }
});
