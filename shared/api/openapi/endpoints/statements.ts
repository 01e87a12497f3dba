import { z } from 'zod';
import { currencies } from '#shared/domain/currencies.ts';
import { currencySchema, timestampSchema } from '#shared/domain/operation/fields/schemas.ts';
import { signedAmount } from '../answers.ts';
import { file } from './exports.ts';
import { filter, timeSchema, type EndpointText, type Parameter } from '../endpoint.ts';

const hash = z
  .string()
  .regex(/^[\w-]{43}$/)
  .meta({ description: 'RFC 9162, SHA-256, in base64url.' });
const size = z.int().min(0);
const keyId = z.string().meta({ examples: ['0123456789abcdef'] });

const consistency = z
  .object({ from_size: size, proof: z.array(hash) })
  .meta({ description: 'Proves that the tree began as the one of `from_size` entries.' });

const checkpoint = z.object({
  origin: z.string().meta({ description: 'The ledger: `<shop_id>/<currency>`.' }),
  tree_size: size,
  root: hash,
  at: timestampSchema.meta({
    description: 'Every entry from before this time is in the tree, and no later one.',
  }),
  key_id: keyId,
  signature: z.string().meta({
    description:
      'Ed25519 in base64url, over the text `<origin>\\n<tree_size>\\n<root in standard base64>\\n<at>\\n`.',
  }),
});

const entry = z.object({
  entry_id: z.string(),
  operation_id: z.guid().nullable().meta({ description: '`null` for an adjustment.' }),
  merchant_operation_id: z.string().nullable(),
  kind: z.enum(['reserve', 'capture', 'release', 'credit', 'adjustment', 'suspense', 'resolution']),
  amount: signedAmount.meta({ description: 'What the entry adds to the balance.' }),
  reserved: signedAmount.meta({ description: 'The reserved amount after the entry.' }),
  balance: signedAmount.meta({ description: 'The balance after the entry.' }),
  at: timestampSchema,
  leaf: hash,
  proof: z.object({ index: size, hashes: z.array(hash) }),
});

const statement = z.object({
  version: z.literal(2),
  shop_id: z.string(),
  currency: currencySchema,
  from: timestampSchema,
  to: timestampSchema,
  opening: signedAmount,
  closing: signedAmount.meta({ description: '`opening` and all amounts.' }),
  before: entry.nullable().meta({
    description: 'The entry before `entries`; `null` where they begin with the first one.',
  }),
  entries: z.array(entry),
  after: entry.nullable().meta({
    description:
      'The entry after `entries`; `null` where there is none, and the checkpoint covers `to`.',
  }),
  checkpoint,
  consistency,
});

const keys = z.object({
  keys: z.array(
    z.object({
      key_id: keyId,
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: hash.meta({ description: 'The public key in base64url.' }),
      valid_from: timestampSchema,
      valid_until: timestampSchema
        .nullable()
        .meta({ description: '`null` for the key that signs now.' }),
    }),
  ),
});

const root = 'A'.repeat(42);
const aShop = '6f1d5b1e-0000-4000-8000-000000000009';
const aCheckpoint = {
  origin: `${aShop}/RUB`,
  tree_size: 1,
  root: `${root}A`,
  at: '2026-02-01T00:00:05.000Z',
  key_id: '0123456789abcdef',
  signature: 'A'.repeat(86),
};
const none = { from_size: 1, proof: [] };
const aStatement = {
  version: 2,
  shop_id: aShop,
  currency: 'RUB',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-02-01T00:00:00.000Z',
  opening: '0.00',
  closing: '97.50',
  before: null,
  entries: [
    {
      entry_id: '6f1d5b1e-0000-4000-8000-000000000001',
      operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
      merchant_operation_id: 'order-1',
      kind: 'credit',
      amount: '97.50',
      reserved: '0.00',
      balance: '97.50',
      at: '2026-01-31T12:00:05.000Z',
      leaf: `${root}A`,
      proof: { index: 0, hashes: [] },
    },
  ],
  after: null,
  checkpoint: aCheckpoint,
  consistency: none,
};
const someKeys = {
  keys: [
    {
      key_id: '0123456789abcdef',
      kty: 'OKP',
      crv: 'Ed25519',
      x: `${root}A`,
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_until: null,
    },
  ],
};

const parameter = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
const ofCurrency = filter('currency', 'May be left out where the shop has entries in one only.', {
  type: 'string',
  enum: currencies,
  examples: ['RUB'],
});
const period: readonly Parameter[] = [
  ofCurrency,
  parameter('from', 'The beginning (RFC 3339; encode `+` as `%2B`).', {
    ...timeSchema,
    examples: ['2026-01-01T00:00:00Z'],
  }),
  parameter('to', 'The end, exclusive; not in the future.', {
    ...timeSchema,
    examples: ['2026-02-01T00:00:00Z'],
  }),
];
const common = { method: 'get', tag: 'Account', scope: 'read' } as const;
const keysAnswer = (description: string) => ({
  status: 200 as const,
  description,
  name: 'CheckpointKeys',
  schema: keys,
  examples: { keys: { summary: 'One key', value: someKeys } },
});

export const statementEndpoints: readonly EndpointText[] = [
  {
    ...common,
    path: '/v1/statements',
    id: 'getStatement',
    summary: 'Read a statement with proofs',
    description:
      'Every ledger entry of a period, with the balance before and after it, and with proofs that they are in the signed tree of the ledger, that none is left out, and that nothing signed before was changed. Streamed, of any size. `verify-statement` verifies it without the gateway. 503 `not_ready` until a checkpoint covers `to`, at most a minute: repeat the request.',
    parameters: period,
    answer: {
      status: 200,
      description: 'The statement',
      name: 'Statement',
      schema: statement,
      examples: { statement: { summary: 'One payment', value: aStatement } },
    },
    problems: ['invalid_request'],
    fields: [
      ['field_required', '/from'],
      ['field_invalid', '/to'],
      ['field_unknown', '/limit'],
      ['scope_field_forbidden', '/shop_id'],
    ],
  },
  file({
    path: '/v1/statements.csv',
    id: 'exportStatement',
    tag: 'Account',
    summary: 'Export a statement',
    description:
      'What `GET /v1/statements` has, without the proofs: its entries, before them a row with the `kind` `opening` and after them one with `closing`, each with the balance.',
    parameters: period,
    field: '/to',
  }),
  {
    ...common,
    path: '/v1/checkpoints',
    id: 'listCheckpoints',
    summary: 'List the signed checkpoints',
    description:
      'The signed roots of the tree of a ledger’s entries, by size and time, each with a proof that it continues the one before it. Whoever stores them notices every later change of the history.',
    parameters: [
      ofCurrency,
      filter('from_size', 'Only checkpoints with at least this number of entries.', {
        type: 'integer',
        minimum: 0,
      }),
    ],
    answer: {
      status: 200,
      description: 'The checkpoints',
      name: 'Checkpoints',
      schema: z.object({ checkpoints: z.array(checkpoint.extend({ consistency })) }),
      examples: {
        checkpoints: {
          summary: 'The first one',
          value: { checkpoints: [{ ...aCheckpoint, consistency: { ...none, from_size: 0 } }] },
        },
      },
    },
    problems: ['invalid_request'],
    fields: [
      ['field_required', '/currency'],
      ['field_invalid', '/from_size'],
      ['field_unknown', '/limit'],
      ['scope_field_forbidden', '/shop_id'],
    ],
  },
  {
    ...common,
    path: '/v1/keys',
    id: 'listCheckpointKeys',
    summary: 'List the keys of checkpoints',
    description:
      'All public keys that checkpoints were ever signed with. IDs are never reused, and keys are never removed.',
    answer: keysAnswer('All keys, oldest first'),
  },
  {
    method: 'get',
    tag: 'Account',
    path: '/.well-known/checkpoint-keys',
    id: 'listPublicCheckpointKeys',
    summary: 'List the keys of checkpoints without an API key',
    description: 'The same as `GET /v1/keys`, for auditors.',
    answer: keysAnswer('All keys, oldest first'),
    problems: ['rate_limited', 'internal_error', 'not_ready'],
  },
];
