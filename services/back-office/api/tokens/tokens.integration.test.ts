import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { operatorsStream } from '#shared/domain/operator/events.ts';
import { useAdmin, tokens as fixed, problem } from '../../testing/admin.ts';
import { createTokenRegistry } from './registry.ts';

/** Two instances on one log. */
const admin = useAdmin();
const other = useAdmin();

type Token = { token_id: string; token: string; expires_at: string | null };
const issue = async (body: object) => {
  const answer = await admin.call<Token>('POST /admin/v1/tokens', { body });
  expect(answer.status).toBe(201);
  return answer;
};
const listed = async (tokenId: string) => {
  type Tokens = { tokens: Record<string, unknown>[] };
  const answer = await other.call<Tokens>('GET /admin/v1/tokens', { token: fixed.auditor });
  return answer.body.tokens.find(({ token_id: id }) => id === tokenId);
};

describe('a token', () => {
  test('is shown once, is not in the log, and works at once on every instance (R16.3)', async () => {
    const { body, headers } = await issue({ name: 'Ольга', role: 'operator' });
    expect(headers.get('cache-control')).toBe('no-store');
    const about = {
      token_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Ольга',
      role: 'operator',
      hint: body.token.slice(-4),
      created_at: expect.stringMatching(/Z$/),
      created_by: 'alice',
      expires_at: expect.stringMatching(/Z$/),
      revoked_at: null,
      revoked_by: null,
    };
    expect(body).toEqual({ ...about, token: expect.stringMatching(/^adm_[0-9A-Za-z]{40}$/) });
    expect(await listed(body.token_id)).toEqual(about);
    for (const instance of [other, admin]) {
      const { token } = body;
      expect((await instance.call('GET /admin/v1/tokens', { token })).status).toBe(200);
      const forbidden = await instance.call('POST /admin/v1/tokens', { token, body: {} });
      expect(forbidden).toMatchObject(problem(403, 'forbidden'));
    }
    const log = JSON.stringify(await admin.store.read(operatorsStream), (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(log).not.toContain(body.token);
  });

  test('is recorded as the actor of its commands, by its name', async () => {
    const { body } = await issue({ name: 'second admin', role: 'admin' });
    const answer = await other.call<Token>('POST /admin/v1/tokens', {
      token: body.token,
      body: { name: 'third', role: 'auditor' },
    });
    expect(await listed(answer.body.token_id)).toMatchObject({ created_by: 'second admin' });
  });

  test('is rejected on every instance as soon as it is revoked (R16.3)', async () => {
    const { body } = await issue({ name: 'leaver', role: 'admin' });
    for (const instance of [admin, other])
      expect((await instance.call('GET /admin/v1/tokens', { token: body.token })).status).toBe(200);
    const path = `DELETE /admin/v1/tokens/${body.token_id}`;
    expect((await admin.call(path)).status).toBe(204);
    for (const instance of [other, admin]) {
      const rejected = await instance.call('GET /admin/v1/tokens', { token: body.token });
      expect(rejected).toMatchObject(problem(401, 'admin_token_invalid'));
    }
    const first = await listed(body.token_id);
    expect(first).toMatchObject({ revoked_at: expect.stringMatching(/Z$/), revoked_by: 'alice' });
    // A repeat changes nothing.
    expect((await other.call(path)).status).toBe(204);
    expect(await listed(body.token_id)).toEqual(first);
  });

  /** Sends the head of a request, which is read, and the beginning of its body. */
  const begin = async (token: string, method: string) => {
    const sent = JSON.stringify({ name: 'made by the leaver', role: 'admin' });
    const answered = Promise.withResolvers<IncomingMessage>();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': sent.length,
      expect: '100-continue',
    };
    const options = { port: other.port, path: '/admin/v1/tokens', method, headers };
    const slow = request(options, answered.resolve).once('error', answered.reject);
    const headRead = once(slow, 'continue');
    slow.flushHeaders();
    await headRead;
    slow.write(sent.slice(0, 10));
    const end = async () => {
      slow.end(sent.slice(10));
      const answer = await answered.promise;
      answer.resume();
      return answer.statusCode;
    };
    return { end };
  };

  test('is rejected if it is revoked while the body of a request arrives (R16.3)', async () => {
    const { body } = await issue({ name: 'slow leaver', role: 'admin' });
    const [before, after] = [await begin(body.token, 'POST'), await begin(body.token, 'POST')];
    expect(await before.end()).toBe(201);
    expect((await admin.call(`DELETE /admin/v1/tokens/${body.token_id}`)).status).toBe(204);
    expect(await after.end()).toBe(401);
  });

  test('gets 405 for a TRACE request whose body is still arriving', async () => {
    const { body } = await issue({ name: 'tracer', role: 'admin' });
    expect(await (await begin(body.token, 'TRACE')).end()).toBe(405);
  });

  test('expires after 90 days by default (R16.3)', async () => {
    const { body } = await issue({ name: 'for a while', role: 'auditor' });
    const days = (Date.parse(body.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  test('expires at its time', async () => {
    const { body } = await issue({ name: 'for a day', role: 'auditor', expires_in_s: 86_400 });
    const expiresAt = Date.parse(body.expires_at ?? '');
    const issuedAt = Date.parse(String((await listed(body.token_id))?.['created_at']));
    expect(Math.abs(expiresAt - issuedAt - 86_400_000)).toBeLessThan(10_000);
    const now = vi.fn<() => number>(() => expiresAt - 1);
    const registry = createTokenRegistry(admin.store, now);
    const holder = { name: 'for a day', role: 'auditor' };
    expect(await registry.byToken(body.token)).toMatchObject(holder);
    now.mockReturnValue(expiresAt);
    expect(await registry.byToken(body.token)).toBeUndefined();
  });
});

test.each<[object, string[]]>([
  [{}, ['/name field_required', '/role field_required']],
  [{ name: '', expires_in_s: 0 }, ['/expires_in_s field_invalid', '/name field_invalid']],
  [{ role: 'root', name: 'x', x: 1 }, ['/role field_invalid', '/x field_unknown']],
  [{ name: 'a\0', expires_in_s: 1.5 }, ['/expires_in_s field_invalid', '/name field_invalid']],
  ...[
    // A token with the first token's name would act as its holder.
    'alice',
    ' Alice',
    'ali\u200bce',
    'ａｌｉｃｅ',
    // A name must not be displayed as another one.
    'anna\noperator:alice',
    '\u202eecila',
    // An operator must not act as a member of a merchant's staff.
    'member:1',
    'Member:1',
    ' member:1',
  ].map((name): [object, string[]] => [{ name }, ['/name field_invalid']]),
])('rejects %j', async (body, expected) => {
  const answer = await admin.call<{ code: string; errors: { pointer: string; code: string }[] }>(
    'POST /admin/v1/tokens',
    { body: { ...(Object.keys(body).length > 0 && { role: 'admin' }), ...body } },
  );
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  const errors = answer.body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  expect(errors.toSorted()).toEqual(expected);
});

test('reads the log for well-formed tokens only, and fails while it is unavailable', async () => {
  const registry = createTokenRegistry({ read: () => Promise.reject(new Error('unavailable')) });
  await expect(registry.byToken(`adm_${'a'.repeat(40)}`)).rejects.toThrow('unavailable');
  expect(await registry.byToken('of-no-such-form')).toBeUndefined();
});
