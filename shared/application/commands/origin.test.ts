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
])('records the actor of %j, with its key, token or link issuers', (causedBy, expected) => {
  expect(toMetadata(causedBy, 'AttemptWithdrawn')).toEqual({
    correlation_id: 'c',
    causation_id: 'e',
    request_id: 'r',
    ...expected,
    schema_version: 1,
  });
});

test('keeps the requesting operator’s token in continued work', () => {
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

test('keeps the issuers of a member’s sign-in link in continued work', () => {
  const requested = { actor: 'member:m', linkIssuers: ['member:a'], correlationId: 'c' };
  const metadata = toMetadata(requested, 'ApiKeyIssued');
  expect(continuedFrom({ id: 'e', metadata })).toMatchObject({ linkIssuers: ['member:a'] });
});
