import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { addedKey } from '../checkpoints.ts';
import { movedFrom } from '../figures.ts';
import { keyOf, type NewLogEvent } from '../log.ts';
import { keyHashOf, secretOf, testSettings } from '../shops.ts';
import { otherShopId, shopId } from '../valid-log.ts';
import {
  accountAdded,
  after,
  change,
  type Change,
  type Corruption,
  type Corruptions,
  corruptionsFor,
  type Data,
  find,
  rootSigned,
  tokenFor,
} from './changes.ts';
import { appendLate } from './signatures.ts';

const ofShop = (id: string, type: string, data: object): NewLogEvent => ({
  stream: `shop-${id}`,
  type,
  data,
});
const withData = (event: NewLogEvent, more: object): NewLogEvent => ({
  ...event,
  data: { ...(event.data as object), ...more },
});
const webhookSecret = (more: object = {}) => ({ secret: 'whsec_first', ...more });
const nextYear = '2027-01-31T12:00:00.000Z';
const lastYear = '2025-01-31T12:00:00.000Z';

/** Adds the event, with each of the times that it can't have. */
const times = (
  what: string,
  { event, field, values }: { event: NewLogEvent; field: string; values: readonly string[] },
) =>
  corruptionsFor(values, (value): [string, Change] => [
    `${what} with ${field} ${value}`,
    after('members-key', withData(event, { [field]: value })),
  ]);

const replaced = {
  stream: 'directory',
  type: 'ProviderAccountCredentialsReplaced',
  data: {
    provider: 'sandbox',
    account: 'second',
    credentials: { master_key_id: 'm', sealed: 'v3.sealed', fingerprint: 'g' },
  },
};

/** A move is recorded after the log, with these figures. */
const moved = (more: Data): Corruption => ({
  written: (log) => {
    const data = { ...movedFrom(log), ...more };
    appendLate(log, {
      stream: 'log',
      type: 'LogMoved',
      revision: 0,
      data: Buffer.from(JSON.stringify(data)),
      metadata: Buffer.from('{"correlation_id":"c","actor":"service:move","schema_version":1}'),
    });
  },
});

/** The recorded audit has these figures. */
const audited = (changeOf: (ran: Data, log: RawEvent[]) => Data): Corruption => ({
  written: (log) => {
    const event = find(log, 'AuditRan');
    const data = JSON.parse(event.data.toString('utf8')) as Data;
    event.data = Buffer.from(JSON.stringify({ ...data, ...changeOf(data, log) }));
  },
});
const more = (field: string, by: number) =>
  audited((ran) => ({ [field]: Number(ran[field]) + by }));

/** The shop's endpoint from a version with only one, whose id is the shop's. */
export const endpointConfigured = (id: string) =>
  ofShop(id, 'WebhookConfigured', { url: 'https://example.com', enabled: true });

export const stated = {
  'setup.secrets': {
    'an API key with the hash of another shop’s': after(
      'members-key',
      ofShop(otherShopId, 'ApiKeyIssued', {
        key_id: 'key-of-thief',
        key_hash: keyHashOf(shopId),
        label: 'l',
        hint: 'abcd',
      }),
    ),
    'a token with the hash of another': after(
      'token',
      withData(tokenFor('mallory', 'admin'), { token_hash: 'hash-of-n' }),
    ),
    'a sign-in link with the hash of another’s': change('boris-link', {
      link_hash: 'link-of-vera',
    }),
    'a webhook secret of another shop': after(
      'token',
      ofShop(shopId, 'WebhookSecretIssued', webhookSecret()),
      ofShop(otherShopId, 'WebhookSecretIssued', webhookSecret()),
    ),
    'a shop with the secret of another’s operation ids': after(
      'token',
      ofShop('shop-9', 'ShopCreated', {
        shop_id: 'shop-9',
        merchant_id: 'merchant-1',
        operation_id_secret: secretOf(shopId).toString('hex'),
        settings: testSettings('shop-9'),
      }),
    ),
    'a key of checkpoints under another id': rootSigned({
      keys: [addedKey, { ...addedKey, key_id: 'other' }],
    }),
  },
  'log.stated_time': {
    ...times('a replaced webhook secret', {
      event: ofShop(shopId, 'WebhookSecretIssued', webhookSecret()),
      field: 'previous_valid_until',
      values: [nextYear, lastYear],
    }),
    ...corruptionsFor([nextYear, lastYear], (until): [string, Change] => [
      `replaced credentials that are valid until ${until}`,
      after('token', accountAdded, withData(replaced, { previous_valid_until: until })),
    ]),
    ...times('a token', {
      event: tokenFor('oleg', 'operator'),
      field: 'expires_at',
      values: ['2046-01-31T12:00:00.000Z', lastYear],
    }),
    ...times('the use of a key', {
      event: { stream: 'api-key-use-k', type: 'ApiKeyUsed', data: { key_id: 'k' } },
      field: 'used_at',
      values: [nextYear],
    }),
    'an endpoint that has failed for a minute': after(
      'token',
      endpointConfigured(shopId),
      ofShop(shopId, 'WebhookFailing', { endpoint_id: shopId, since: '2026-01-31T11:59:00.000Z' }),
    ),
    'a sign-in link that is valid for a year': change('boris-link', { expires_at: nextYear }),
    'a wait for a provider that lasts a year': change('payment-admitted', {
      accept_until: nextYear,
    }),
    'a wait for a provider that was over before': change('payment-admitted', {
      accept_until: lastYear,
    }),
    'a key of checkpoints that began a year before': rootSigned({
      keys: [{ ...addedKey, valid_from: lastYear }],
    }),
    'a key of checkpoints that ends in a year': rootSigned({ retiredAfter: [31_536_000] }),
  },
  'log.figures': {
    'a move of fewer events than the log has': moved({ events: 1 }),
    'a move of other events': moved({ digest: '0'.repeat(64) }),
    'an audit of fewer events': more('events', -1),
    'an audit of fewer operations': more('operations', -1),
    'an audit of more entries': more('entries', 1),
    'an audit with an operation open that is not': more('open_operations', 1),
    'an audit up to a later position': audited((_, log) => ({
      position: String(log.at(-1)?.position),
    })),
    'an audit that started later': audited(() => ({ started_at: nextYear })),
    'an audit that took until later': audited(() => ({ seconds: 1e9 })),
    'an audit that holds with violations': audited((ran) => ({
      outcome: 'holds',
      rules: (ran['rules'] as Data[]).map((rule) => ({ ...rule, violations: 7 })),
    })),
    'an audit that is violated without violations': audited((ran) => ({
      outcome: 'violated',
      rules: (ran['rules'] as Data[]).map((rule) => ({ ...rule, violations: 0 })),
    })),
    'an audit that verified more callbacks than there are': audited(() => ({
      callbacks: { stored: 1, verified: 5_000, failed: 0 },
    })),
    'an audit as of a later time': audited(() => ({ as_of: nextYear })),
  },
} satisfies Corruptions;

/** Rotates a webhook secret, uses a key and replaces credentials as the gateway does. */
export const statedInTime: Change = after(
  'token',
  accountAdded,
  withData(replaced, { previous_valid_until: '2026-02-01T12:00:00.000Z' }),
  endpointConfigured(shopId),
  endpointConfigured(otherShopId),
  ofShop(shopId, 'WebhookSecretIssued', webhookSecret()),
  ofShop(
    shopId,
    'WebhookSecretIssued',
    webhookSecret({ secret: 'whsec_next', previous_valid_until: '2026-02-01T12:00:00.000Z' }),
  ),
  ofShop(otherShopId, 'WebhookSecretIssued', webhookSecret({ secret: 'whsec_other' })),
  {
    stream: 'directory',
    type: 'SetupChanged',
    data: {
      shop_id: shopId,
      shop_revision: 1,
      api_key: { key_id: keyOf(shopId), key_hash: keyHashOf(shopId) },
    },
  },
  withData(tokenFor('oleg', 'operator'), { expires_at: nextYear }),
  {
    stream: 'api-key-use-k',
    type: 'ApiKeyUsed',
    data: { key_id: 'k', used_at: '2026-01-31T11:00:00.000Z' },
  },
);
