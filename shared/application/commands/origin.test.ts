import { expect, test } from 'vitest';
import { byAnother, continuedFrom, type Origin } from './origin.ts';
import { toMetadata } from './new-events.ts';

const origin: Origin = {
  actor: 'merchant:s',
  keyId: 'k',
  correlationId: 'c',
  requestId: 'r',
  causationId: 'e',
};

test.each<[Origin, object]>([
  [origin, { actor: 'merchant:s', key_id: 'k' }],
  [
    { ...origin, actor: 'operator:olga', keyId: undefined, tokenId: 'first' } as unknown as Origin,
    { actor: 'operator:olga', token_id: 'first' },
  ],
  [byAnother(origin, 'provider:sandbox'), { actor: 'provider:sandbox' }],
  [byAnother({ ...origin, tokenId: 't' }, 'service:admin'), { actor: 'service:admin' }],
  [
    {
      ...origin,
      actor: 'member:m',
      keyId: undefined,
      linkIssuers: ['member:a'],
    } as unknown as Origin,
    { actor: 'member:m', link_issuers: ['member:a'] },
  ],
  [
    byAnother({ ...origin, linkIssuers: ['member:a'] }, 'service:portal'),
    { actor: 'service:portal' },
  ],
])('%j has these origins', (given, who) => {
  expect(toMetadata(given, 'AttemptWithdrawn')).toEqual({
    correlation_id: 'c',
    causation_id: 'e',
    request_id: 'r',
    ...who,
    schema_version: 1,
  });
});

test('continued work keeps the token of the operator who requested it', () => {
  const requested = { actor: 'operator:olga', tokenId: 't', correlationId: 'c', requestId: 'r' };
  const metadata = toMetadata(requested, 'AdjustmentRequested');
  expect(toMetadata(continuedFrom({ id: 'e', metadata }), 'AdjustmentPosted')).toEqual({
    correlation_id: 'c',
    causation_id: 'e',
    actor: 'operator:olga',
    token_id: 't',
    schema_version: 1,
  });
});

test('work continued for a member keeps the issuers of the sign-in link', () => {
  const requested = { actor: 'member:m', linkIssuers: ['member:a'], correlationId: 'c' };
  const metadata = toMetadata(requested, 'ApiKeyIssued');
  expect(continuedFrom({ id: 'e', metadata })).toMatchObject({ linkIssuers: ['member:a'] });
});
