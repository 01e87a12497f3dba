import { expect, it } from 'vitest';
import { createMetadataReader } from './metadata.ts';

const read = (fields: object) =>
  createMetadataReader()(
    Buffer.from(JSON.stringify({ correlation_id: 'c', schema_version: 1, ...fields })),
  );
const problemOf = (actor: string) => read({ actor }).problem;

it.each([
  'merchant:shop-1',
  'payer:payment-page',
  'operator:olga',
  'provider:sandbox',
  'service:processor',
])('accepts the actor %s', (actor) => expect(problemOf(actor)).toBeUndefined());

it.each(['', 'olga', 'operator:', 'payers:page'])('rejects the actor %j', (actor) =>
  expect(problemOf(actor)).toContain('actor'),
);

it('reads the id of the key or token', () => {
  const command = { actor: 'merchant:shop-1', key_id: 'key-1' };
  expect(read(command)).toMatchObject({
    actor: command.actor,
    keyId: 'key-1',
    correlationId: 'c',
    metadata: { schema_version: 1 },
  });
  expect(read({ actor: 'operator:olga', token_id: 'first' })).toMatchObject({ tokenId: 'first' });
});

it('reads the link issuers of a member, and rejects them for other actors', () => {
  const link_issuers = ['member:anna', 'operator:olga'];
  const { linkIssuers, problem } = read({ actor: 'member:vera', link_issuers });
  expect([linkIssuers, problem]).toEqual([link_issuers, undefined]);
  for (const fields of [
    { actor: 'operator:olga', link_issuers },
    { actor: 'member:vera', link_issuers: [] },
    { actor: 'member:vera', link_issuers: 'member:anna' },
    { actor: 'member:vera', link_issuers: ['merchant:shop-1'] },
  ])
    expect(read(fields).problem).toContain('link_issuers');
});

it.each([
  { actor: 'payer:payment-page', key_id: 'key-1' },
  { actor: 'operator:olga', key_id: 'key-1' },
  { actor: 'service:admin', token_id: 'first' },
  { actor: 'merchant:shop-1', token_id: 'first' },
  { actor: 'merchant:shop-1', key_id: '' },
  { actor: 'operator:olga', token_id: 7 },
])('rejects %j', (fields) => expect(read(fields).problem).toMatch(/key_id|token_id/));
