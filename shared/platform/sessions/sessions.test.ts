import type { Kysely } from 'kysely';
import { expect, it, vi } from 'vitest';
import { newSecret } from './secrets.ts';
import { createSessions, sessionLimits } from './sessions.ts';
import type { SessionDatabase } from './tables.ts';

it('does not query for a malformed secret', async () => {
  const query = vi.fn<() => never>(() => {
    throw new Error('queried');
  });
  const db = { selectFrom: query, deleteFrom: query } as unknown as Kysely<SessionDatabase>;
  const sessions = createSessions(db, sessionLimits({ production: true }));
  const secret = newSecret();
  for (const malformed of ['', 'x', secret.slice(1), `${secret}x`, `${secret.slice(1)}é`]) {
    expect(await sessions.find(malformed)).toBeUndefined();
    await sessions.close(malformed);
  }
  expect(query).not.toHaveBeenCalled();
  await expect(sessions.find(secret)).rejects.toThrow('the database is unavailable');
});
