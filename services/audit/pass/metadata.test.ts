import { expect, it } from 'vitest';
import { createMetadataReader } from './metadata.ts';

const problemOf = (actor: string) =>
  createMetadataReader()(Buffer.from(JSON.stringify({ correlation_id: 'c', actor, schema_version: 1 })))
    .problem;

it.each(['merchant:shop-1', 'payer:payment-page', 'operator:olga', 'provider:sandbox', 'service:processor'])(
  'knows that %s may act',
  (actor) => expect(problemOf(actor)).toBeUndefined(),
);

it.each(['', 'olga', 'operator:', 'payers:page'])('asks who %j is', (actor) =>
  expect(problemOf(actor)).toContain('actor'),
);
