import { expect, it } from 'vitest';
import { createMetadataReader } from './metadata.ts';

const read = (given: object) =>
  createMetadataReader()(
    Buffer.from(JSON.stringify({ correlation_id: 'c', schema_version: 1, ...given })),
  );
const problemOf = (actor: string) => read({ actor }).problem;

it.each([
  'merchant:shop-1',
  'payer:payment-page',
  'operator:olga',
  'provider:sandbox',
  'service:processor',
])('knows that %s may act', (actor) => expect(problemOf(actor)).toBeUndefined());

it.each(['', 'olga', 'operator:', 'payers:page'])('asks who %j is', (actor) =>
  expect(problemOf(actor)).toContain('actor'),
);

it('reads which key or token it was done with', () => {
  const done = { actor: 'merchant:shop-1', key_id: 'key-1' };
  expect(read(done)).toMatchObject({
    actor: done.actor,
    keyId: 'key-1',
    correlationId: 'c',
    metadata: { schema_version: 1 },
  });
  expect(read({ actor: 'operator:olga', token_id: 'first' })).toMatchObject({ tokenId: 'first' });
});

it('reads whose links opened the session of a member, and of a member alone', () => {
  const link_issuers = ['member:anna', 'operator:olga'];
  const { linkIssuers, problem } = read({ actor: 'member:vera', link_issuers });
  expect([linkIssuers, problem]).toEqual([link_issuers, undefined]);
  for (const given of [
    { actor: 'operator:olga', link_issuers },
    { actor: 'member:vera', link_issuers: [] },
    { actor: 'member:vera', link_issuers: 'member:anna' },
    { actor: 'member:vera', link_issuers: ['merchant:shop-1'] },
  ])
    expect(read(given).problem).toContain('link_issuers');
});

it.each([
  { actor: 'payer:payment-page', key_id: 'key-1' },
  { actor: 'operator:olga', key_id: 'key-1' },
  { actor: 'service:admin', token_id: 'first' },
  { actor: 'merchant:shop-1', token_id: 'first' },
  { actor: 'merchant:shop-1', key_id: '' },
  { actor: 'operator:olga', token_id: 7 },
])('finds fault with %j', (given) => expect(read(given).problem).toMatch(/key_id|token_id/));
