import { expect, test } from 'vitest';
import type { OperatorEvent } from './events.ts';
import {
  evolveOperators,
  isInForce,
  issueOperatorToken,
  noOperators,
  revokeOperatorToken,
  type NewToken,
} from './operators.ts';

const at = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:admin' };
const token = {
  tokenId: 't1',
  tokenHash: 'h1',
  name: 'Ольга',
  role: 'operator' as const,
  hint: 'abcd',
} satisfies NewToken;
const fold = (...events: OperatorEvent[]) =>
  events.reduce((state, event) => evolveOperators(state, event, at), noOperators);

test('a token is recorded by its hash, with its issuer and time', () => {
  const { revision, tokens } = fold(issueOperatorToken(token));
  expect(revision).toBe(0);
  expect([...tokens.values()]).toEqual([
    { ...token, createdAt: at.createdIso, createdBy: 'operator:admin' },
  ]);
});

test('a token is revoked once; an unknown one is not found', () => {
  const before = fold(issueOperatorToken(token), issueOperatorToken({ ...token, tokenId: 't2' }));
  const revoked = revokeOperatorToken(before, 't1');
  expect(revoked).toEqual({ events: [{ type: 'AdminTokenRevoked', data: { token_id: 't1' } }] });
  const after =
    'events' in revoked
      ? revoked.events.reduce((s, e) => evolveOperators(s, e, at), before)
      : before;
  expect(after.tokens.get('t1')).toMatchObject({ revokedAt: at.createdIso, revokedBy: at.actor });
  expect(after.tokens.get('t2')).not.toHaveProperty('revokedAt');
  expect(revokeOperatorToken(after, 't1')).toEqual({ events: [] });
  expect(revokeOperatorToken(after, 't3')).toEqual({ refusal: 'not_found' });
});

test.each([
  [{}, true],
  [{ expiresAt: '2026-01-31T12:00:00.001Z' }, true],
  [{ expiresAt: '2026-01-31T12:00:00.000Z' }, false],
  [{ revokedAt: '2026-01-31T11:00:00.000Z' }, false],
])('a token with %j is valid: %s', (more, inForce) => {
  const issued = { ...token, createdAt: at.createdIso, createdBy: at.actor, ...more };
  expect(isInForce(issued, '2026-01-31T12:00:00.000Z')).toBe(inForce);
});
