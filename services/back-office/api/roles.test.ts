import { describe, expect, test } from 'vitest';
import { roles, type Role } from '#shared/domain/operator/events.ts';
import { fixedToken } from './authentication.ts';
import { rolesByRoute } from './roles.ts';
import { unreachableAdmin } from '../testing/unreachable.ts';

const tokenOf = (role: Role) => `the-token-of-the-${role}`;
const app = unreachableAdmin(roles.map((role) => fixedToken(tokenOf(role), { name: role, role })));

/** Every route of the app that requires a token. */
const routes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/admin/'))
      .map(({ method, path }) => `${method} ${path}`),
  ),
];

test('the table of roles has exactly the routes of the app (R16.2)', () => {
  expect(routes.toSorted()).toEqual(Object.keys(rolesByRoute).toSorted());
});

test('the console redirects every visitor without a session to the sign-in', async () => {
  const paths = new Set(
    app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path),
  );
  const own = [...paths].filter((path) => !path.startsWith('/admin/'));
  const health = ['/healthz', '/livez', '/metrics', '/readyz'];
  const open = ['/assets/:file', ...health, '/sign-in', '/sign-out'];
  expect(own.filter((path) => open.includes(path)).toSorted()).toEqual(open);
  for (const path of own.filter((each) => !open.includes(each))) {
    for (const method of ['GET', 'POST']) {
      const url = path.replaceAll(/:\w+/g, '6f1c1c9e-0000-4000-8000-000000000000');
      const response = await app.request(url, { method });
      const [to] = (response.headers.get('location') ?? '').split('?');
      expect([method, path, response.status, to]).toEqual([method, path, 303, '/sign-in']);
    }
  }
});

test('an auditor may read everything and change nothing; an admin may do everything (R16.2)', () => {
  for (const [route, allowed] of Object.entries(rolesByRoute)) {
    expect([route, allowed.includes('auditor')]).toEqual([route, route.startsWith('GET ')]);
    expect(allowed).toContain('admin');
  }
});

test('an operator may only run the commands of daily work, and none of the setup (R16.2)', () => {
  const commands = Object.keys(rolesByRoute).filter((route) => !route.startsWith('GET '));
  expect(commands.filter((route) => rolesByRoute[route]?.includes('operator')).toSorted()).toEqual([
    'POST /admin/v1/missing-statements/:provider/:account/:currency/fetch',
    'POST /admin/v1/operations/:operation_id/review',
    'POST /admin/v1/providers/:provider/accounts/:account/switch-off',
    'POST /admin/v1/providers/:provider/accounts/:account/switch-on',
    'POST /admin/v1/providers/:provider/switch-off',
    'POST /admin/v1/providers/:provider/switch-on',
    'POST /admin/v1/shops/:shop_id/webhook-messages/redeliver',
    'POST /admin/v1/shops/:shop_id/webhook/ping',
    'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding',
    'POST /admin/v1/statements/:provider/:account/:currency/:day/fetch',
    'POST /admin/v1/statements/:provider/:account/:currency/:day/import',
    'POST /admin/v1/suspense/:entry_id/resolve',
    'POST /admin/v1/webhook-messages/:message_id/redeliver',
  ]);
});

describe.each(routes)('%s', (route) => {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:\w+/g, '6f1c1c9e-0000-4000-8000-000000000000');

  test.each(roles)('follows the table of roles as %s', async (role) => {
    // Invalid JSON: the role is checked before the body is parsed.
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${tokenOf(role)}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{' }),
    });
    const { code } = (await response.json()) as { code: string };
    const refused = { forbidden: code === 'forbidden', status403: response.status === 403 };
    const may = rolesByRoute[route]?.includes(role) ?? false;
    expect(refused).toEqual({ forbidden: !may, status403: !may });
  });
});

test('applies the roles of GET to HEAD', async () => {
  const headers = { authorization: `Bearer ${tokenOf('auditor')}` };
  const head = await app.request('/admin/v1/tokens', { method: 'HEAD', headers });
  expect(head.status).toBe(503);
});
