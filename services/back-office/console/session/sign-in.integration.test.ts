import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { fixedToken } from '../../api/authentication.ts';
import type { AdminDatabase, AdminDb } from '../../api/database.ts';
import { unavailableDependencies } from '../../testing/edge.ts';
import { createTokenRegistry } from '../../api/tokens/registry.ts';
import { createConsole } from '../app.ts';
import { signInPath } from './links.ts';
import { migrateConsole } from './tables.ts';

const token = 'the-token-of-the-first-admin';
const database = databaseForFile();
let db: AdminDb;
beforeAll(async () => {
  db = connectDatabase<AdminDatabase>(database.url, { applicationName: 'sign-in-test' });
  await migrateConsole(db);
});
afterAll(() => db.destroy());

/** A console behind one proxy; `lines` are its logs. */
function start({ production }: { production: boolean }) {
  let nowMs = Date.now();
  let lines = '';
  const logger = createLogger('admin', 'info', { write: (text) => void (lines += text) });
  const fixedTokens = [fixedToken(token, { name: 'admin', role: 'admin' })];
  const app = createConsole(
    {
      ...unavailableDependencies({ db, fixedTokens }),
      registry: createTokenRegistry({ read: async () => [] }),
      refused: createRefusedCredentials({ what: 'an admin token', logger, trustedProxies: 1 }),
      production,
      trustedProxies: 1,
    },
    { now: () => nowMs },
  );
  const env = {
    incoming: { socket: { remoteAddress: '10.0.0.1', remotePort: 1, remoteFamily: 'IPv4' } },
  };
  const send = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    app.request(`https://admin.test${path}`, init, env);
  const post = (form: Record<string, string>, address: string) =>
    send('/sign-in', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': address,
      },
      body: new URLSearchParams(form).toString(),
    });
  return {
    signIn: (value: string, address: string) => post({ token: value }, address),
    follow: (link: string) => post({ link }, '203.0.113.9'),
    now: () => nowMs,
    open: (path: string) => send(path),
    /** Whether the session is open, so that the sign-in page redirects. */
    isIn: async (cookie: string) =>
      (await send('/sign-in', { headers: { cookie } })).status === 303,
    pass: (ms: number) => {
      nowMs += ms;
    },
    lines: () => lines,
  };
}

const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

it('accepts the right token despite failed attempts, which it limits per client behind the proxy', async () => {
  const { signIn, lines } = start({ production: false });
  const wrong = 'adm_0123456789abcdefghijklmnopqrstuvwxyzWXYZ';
  const refused: Response[] = [];
  for (let count = 0; count < 12; count += 1)
    refused.push(await signIn(wrong, `203.0.113.9:5100${count}`));
  const statuses = refused.map(({ status }) => status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  expect(await refused[0]?.text()).toContain('role="alert"');
  expect(refused.map(cookieOf).join()).not.toContain('session');
  expect(Number(refused.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn(wrong, '203.0.113.10')).status).toBe(401);
  for (const address of ['203.0.113.9', '203.0.113.10'])
    expect((await signIn(token, address)).status).toBe(303);
  const logged = lines().trim().split('\n');
  expect(logged).toHaveLength(13);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ address: '203.0.113.9', hint: 'WXYZ' });
  expect(lines()).not.toContain('0123456789');
});

it('a session in production has a Secure __Host- cookie, and ends after 15 idle minutes', async () => {
  const { signIn, isIn, pass } = start({ production: true });
  const answer = await signIn(token, '203.0.113.9');
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-console_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  const cookie = cookieOf(answer);
  expect(await isIn(cookie)).toBe(true);
  expect(await isIn(cookie.replace('__Host-', ''))).toBe(false);
  pass(14 * 60_000);
  expect(await isIn(cookie)).toBe(true);
  pass(15 * 60_000);
  expect(await isIn(cookie)).toBe(false);
});

it('a session outside production ends after an idle hour', async () => {
  const { signIn, isIn, pass } = start({ production: false });
  const cookie = cookieOf(await signIn(token, '203.0.113.9'));
  expect(cookie).toMatch(/^console_session=/);
  pass(59 * 60_000);
  expect(await isIn(cookie)).toBe(true);
  pass(60 * 60_000);
  expect(await isIn(cookie)).toBe(false);
});

it('accepts a link signed with the token once, until it expires (R16.15)', async () => {
  const { follow, open, isIn, pass, now } = start({ production: false });
  const linkOf = (path: string) => new URLSearchParams(path.split('?')[1]).get('link') ?? '';
  const path = signInPath(token, now());
  const link = linkOf(path);
  // Opening the link does not consume it.
  for (let count = 0; count < 2; count += 1) {
    const page = await open(path);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`name="link" value="${link}"`);
  }
  const answer = await follow(link);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  expect(await isIn(cookieOf(answer))).toBe(true);
  expect((await follow(link)).status).toBe(401);

  expect((await follow(linkOf(signInPath('another-token-than-that', now())))).status).toBe(401);
  const [id = '', expires = '', mac = ''] = linkOf(signInPath(token, now())).split('.');
  expect((await follow(`${id}.${Number(expires) + 1}.${mac}`)).status).toBe(401);
  const expired = linkOf(signInPath(token, now()));
  pass(15 * 60_000);
  expect((await follow(expired)).status).toBe(401);
});
