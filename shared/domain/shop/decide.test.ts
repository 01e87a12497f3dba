import { describe, expect, test } from 'vitest';
import { shopSettings } from './testing/settings.ts';
import {
  addEndpoint,
  changeEndpoint,
  changeShop,
  configureWebhook,
  createShop,
  deleteEndpoint,
  issueApiKey,
  maxKeys,
  maxKeysEver,
  noteHealth,
  replaceRoutes,
  revokeApiKey,
  rotateWebhookSecret,
  type EndpointChange,
  type ShopDecision,
} from './decide.ts';
import { route as cardRoute } from '../operation/testing/create.ts';
import { asStored } from '../testing/as-stored.ts';
import { decodeShopEvent, type ShopEvent } from './events.ts';
import type { Route } from '../routing.ts';
import { evolveShop, isExpired, noShop, sandboxShare, type Shop, type ShopState } from './state.ts';

const route = cardRoute();
const settings = shopSettings({ overdraft_limits: { RUB: '10.00' } });
const created: ShopEvent = {
  type: 'ShopCreated',
  data: { shop_id: 's', merchant_id: 'm', operation_id_secret: 'ff', settings },
};
const issued: ShopEvent = {
  type: 'ApiKeyIssued',
  data: { key_id: 'k', key_hash: 'h', label: 'till', hint: 'abcd' },
};
const configured: ShopEvent = {
  type: 'WebhookConfigured',
  data: { url: 'https://a.example/', enabled: true },
};
const secret: ShopEvent = { type: 'WebhookSecretIssued', data: { secret: 'whsec_1' } };

const stored = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:a' };

const given = (...events: ShopEvent[]): ShopState =>
  events.reduce<ShopState>((state, event) => evolveShop(state, event, stored), noShop);

/** The events of a decision, as the log returns them. */
const eventsOf = (decision: ShopDecision) => {
  if ('refusal' in decision) throw new Error(`refused: ${decision.refusal}`);
  return decision.events.map((event) => decodeShopEvent(asStored(event)));
};
const notFound = { refusal: 'not_found' };

test('a shop is created once', () => {
  const shop = { shopId: 's', merchantId: 'm', operationIdSecret: 'ff', settings };
  expect(eventsOf(createShop(noShop, shop))).toEqual([created]);
  expect(() => createShop(given(created), shop)).toThrow('is taken');
});

test('a shop moves no real money as far as its routes lead to the sandbox (R21.10)', () => {
  const shareOf = (...providers: string[]) =>
    sandboxShare({ routes: providers.map((provider) => ({ ...route, provider })) });
  expect([shareOf(), shareOf('bank')]).toEqual(['none', 'none']);
  expect(shareOf('sandbox', 'bank')).toBe('some');
  expect(shareOf('sandbox', 'sandbox')).toBe('all');
});

describe('a change of settings', () => {
  test('keeps omitted settings', () => {
    const change = { name: 'New', rate_limit: { burst: 5 } };
    expect(eventsOf(changeShop(given(created), change))).toEqual([
      {
        type: 'ShopChanged',
        data: { settings: { ...settings, name: 'New', rate_limit: { per_second: 100, burst: 5 } } },
      },
    ]);
  });

  test('replaces all overdraft limits, so that one can be removed', () => {
    const change = changeShop(given(created), { overdraft_limits: {} });
    expect(eventsOf(change)).toMatchObject([{ data: { settings: { overdraft_limits: {} } } }]);
  });

  test('sets the texts for payers, keeps them, and clears them by null', () => {
    const forPayers = {
      display_name: 'Ромашка',
      support: 'help@shop.example',
      return_url: 'https://a.example/',
    };
    const set = eventsOf(changeShop(given(created), forPayers));
    expect(set).toEqual([
      { type: 'ShopChanged', data: { settings: { ...settings, ...forPayers } } },
    ]);
    expect(eventsOf(changeShop(given(created, ...set), { ...forPayers, name: 'Shop' }))).toEqual(
      [],
    );
    expect(eventsOf(changeShop(given(created, ...set), { support: null }))).toEqual([
      {
        type: 'ShopChanged',
        data: {
          settings: { ...settings, display_name: 'Ромашка', return_url: 'https://a.example/' },
        },
      },
    ]);
    expect(eventsOf(changeShop(given(created), { support: null, display_name: null }))).toEqual([]);
  });

  test('requires a second member for payout batches until switched off (R24.6)', () => {
    const on = { payout_batches_need_second_member: true };
    const set = eventsOf(changeShop(given(created), on));
    expect(set).toEqual([{ type: 'ShopChanged', data: { settings: { ...settings, ...on } } }]);
    const state = given(created, ...set);
    expect(eventsOf(changeShop(state, on))).toEqual([]);
    expect(eventsOf(changeShop(state, { name: 'New' }))).toMatchObject([
      { data: { settings: { name: 'New', ...on } } },
    ]);
    const off = { payout_batches_need_second_member: false };
    expect(eventsOf(changeShop(state, off))).toEqual([{ type: 'ShopChanged', data: { settings } }]);
    expect(eventsOf(changeShop(given(created), off))).toEqual([]);
  });

  test('adds no event if nothing changes', () => {
    expect(eventsOf(changeShop(given(created), { name: 'Shop', hosted_page: true }))).toEqual([]);
  });
});

describe('an API key', () => {
  test('is issued, and revoked once', () => {
    const key = { keyId: 'k', keyHash: 'h', label: 'till', hint: 'abcd' };
    expect(eventsOf(issueApiKey(given(created), key))).toEqual([issued]);
    const revoked = eventsOf(revokeApiKey(given(created, issued), 'k'));
    expect(revoked).toEqual([{ type: 'ApiKeyRevoked', data: { key_id: 'k' } }]);
    expect(eventsOf(revokeApiKey(given(created, issued, ...revoked), 'k'))).toEqual([]);
  });

  test('stores its issuer, and the link issuers behind a member’s session (R24.6)', () => {
    const boris = { actor: 'member:boris', linkIssuers: ['member:anna'] };
    const issuedBy = ['member:boris', 'member:anna'];
    expect(evolveShop(given(created), issued, { ...stored, ...boris })).toMatchObject({
      apiKeys: [{ keyId: 'k', issuedBy }],
    });
  });

  test('stores its expiry, allowed addresses and scopes', () => {
    const limits = {
      expires_at: '2026-02-01T12:00:00.000Z',
      allowed_ips: ['203.0.113.0/24'],
      scopes: ['read' as const],
    };
    const key = { keyId: 'k', keyHash: 'h', label: 'till', hint: 'abcd' };
    const events = eventsOf(issueApiKey(given(created), { ...key, limits }));
    expect(given(created, ...events)).toMatchObject({ apiKeys: [{ ...key, limits }] });
    expect(given(created, issued)).toMatchObject({ apiKeys: [{ ...key, limits: {} }] });
    expect(isExpired(limits, '2026-02-01T11:59:59.999Z')).toBe(false);
    expect(isExpired(limits, '2026-02-01T12:00:00.000Z')).toBe(true);
    expect(isExpired({}, '9999-12-31T23:59:59.999Z')).toBe(false);
  });

  test('is refused beyond the limits of current keys and of all keys', () => {
    const shop = given(created);
    if (shop.phase === 'none') throw new Error('a shop was expected');
    const key = { keyId: 'new', keyHash: 'h', label: 'till', hint: 'abcd', limits: {} };
    const keys = (count: number, revokedAt?: string) =>
      Array.from({ length: count }, (_, index) => ({
        ...key,
        keyId: `k${index}`,
        createdAt: '2026-01-31T12:00:00.000Z',
        issuedBy: [],
        ...(revokedAt && { revokedAt }),
      }));
    const issue = (apiKeys: typeof shop.apiKeys) => issueApiKey({ ...shop, apiKeys }, key);
    const refused = { refusal: 'too_many_keys' };
    expect(issue(keys(maxKeys))).toEqual(refused);
    expect(eventsOf(issue(keys(maxKeys - 1)))).toHaveLength(1);
    expect(eventsOf(issue(keys(maxKeys, '2026-02-01T12:00:00.000Z')))).toHaveLength(1);
    expect(issue(keys(maxKeysEver, '2026-02-01T12:00:00.000Z'))).toEqual(refused);
  });

  test('cannot be revoked if it does not exist', () => {
    expect(revokeApiKey(given(created), 'k')).toEqual(notFound);
  });
});

test('routes of the environment’s account are stored and compared without it (R23.3)', () => {
  const named = { ...route, account: 'default' };
  const [replaced] = eventsOf(replaceRoutes(given(created), [named]));
  expect(replaced).toEqual({ type: 'RoutesReplaced', data: { routes: [route] } });
  const older = given(created, { type: 'RoutesReplaced', data: { routes: [named] } });
  for (const same of [named, route]) expect(replaceRoutes(older, [same])).toEqual({ events: [] });
});

test('routes are replaced as a whole; equal ones add no event', () => {
  const [replaced] = eventsOf(replaceRoutes(given(created), [route]));
  expect(replaced).toEqual({ type: 'RoutesReplaced', data: { routes: [route] } });
  if (!replaced) throw new Error('an event was expected');
  expect(eventsOf(replaceRoutes(given(created, replaced), [route]))).toEqual([]);
  expect(eventsOf(replaceRoutes(given(created, replaced), []))).toHaveLength(1);
  const wasEmpty = (from: readonly Route[]) => from.length === 0;
  expect(replaceRoutes(given(created, replaced), [], wasEmpty)).toEqual({
    refusal: 'routes_changed',
  });
  expect(eventsOf(replaceRoutes(given(created), [route], wasEmpty))).toHaveLength(1);
  expect(eventsOf(replaceRoutes(given(created, replaced), [route], wasEmpty))).toEqual([]);
});

const command = {
  url: 'https://a.example/',
  enabled: true,
  newSecret: 'whsec_1',
  newEndpointId: 'e-new',
};

describe('a webhook', () => {
  test('gets its secret when it is first configured, and keeps it', () => {
    expect(eventsOf(configureWebhook(given(created), command))).toEqual([configured, secret]);
    const state = given(created, configured, secret);
    expect(eventsOf(configureWebhook(state, { ...command, newSecret: 'whsec_2' }))).toEqual([]);
    const moved = configureWebhook(state, {
      ...command,
      url: 'https://b.example/',
      newSecret: 'whsec_2',
    });
    expect(eventsOf(moved).map(({ type }) => type)).toEqual(['WebhookConfigured']);
  });

  test('records that an operator disabled it', () => {
    const off = configureWebhook(given(created, configured, secret), {
      ...command,
      enabled: false,
    });
    expect(eventsOf(off)).toEqual([
      { type: 'WebhookConfigured', data: { url: command.url, enabled: false } },
      { type: 'WebhookDisabled', data: { reason: 'operator' } },
    ]);
  });

  test('is enabled again by the same command after a 410', () => {
    const gone: ShopEvent = { type: 'WebhookDisabled', data: { reason: 'gone' } };
    const again = configureWebhook(given(created, configured, secret, gone), command);
    expect(eventsOf(again)).toEqual([configured]);
  });

  test('keeps the secrets of successive rotations, newest first and at most four', () => {
    const times = [1, 2, 3, 4, 5].map((hour) => `2026-02-01T0${hour}:00:00.000Z`);
    let events: ShopEvent[] = [created, configured, secret];
    for (const [index, previousValidUntil] of times.entries()) {
      const rotation = { newSecret: `whsec_${index + 2}`, previousValidUntil };
      events = [...events, ...eventsOf(rotateWebhookSecret(given(...events), rotation))];
    }
    const state = given(...events, {
      type: 'WebhookConfigured',
      data: { url: 'https://b.example/', enabled: true },
    });
    expect(state).toMatchObject({
      endpoints: [
        {
          secret: 'whsec_6',
          previous: [4, 3, 2, 1].map((at) => ({
            secret: `whsec_${at + 1}`,
            validUntil: times[at],
          })),
        },
      ],
    });
  });

  test('rotates a secret only if it has one', () => {
    const rotation = { newSecret: 'whsec_2', previousValidUntil: '2026-02-01T12:00:00.000Z' };
    const [rotated] = eventsOf(rotateWebhookSecret(given(created, configured, secret), rotation));
    if (!rotated) throw new Error('an event was expected');
    expect(given(created, configured, secret, rotated)).toMatchObject({
      endpoints: [
        {
          secret: 'whsec_2',
          previous: [{ secret: 'whsec_1', validUntil: rotation.previousValidUntil }],
        },
      ],
    });
    expect(rotateWebhookSecret(given(created), rotation)).toEqual(notFound);
  });
});

describe('webhook endpoints', () => {
  const second = { endpointId: 'e-2', url: 'https://b.example/', secret: 'whsec_2' };
  const types = ['payment.completed'];
  const added = eventsOf(addEndpoint(given(created, configured, secret), { ...second, types }));
  const both = () => given(created, configured, secret, ...added);
  const change = (of: EndpointChange, endpointId = 'e-2') =>
    eventsOf(changeEndpoint(both(), { endpointId, change: of, newSecret: 'unused' }));

  test('are separate, with the one of the admin API first', () => {
    expect(both()).toMatchObject({
      endpoints: [
        { endpointId: 's', url: command.url, secret: 'whsec_1' },
        { endpointId: 'e-2', url: second.url, types, secret: 'whsec_2', enabled: true },
      ],
    });
  });

  test('are limited to ten (R14.17)', () => {
    let state = both();
    for (let count = 2; count < 10; count += 1)
      state = given(
        created,
        configured,
        secret,
        ...Array.from({ length: count }, (_, at) =>
          eventsOf(addEndpoint(state, { ...second, endpointId: `e-${at + 2}` })),
        ).flat(),
      );
    expect(addEndpoint(state, { ...second, endpointId: 'e-11' })).toEqual({
      refusal: 'too_many_endpoints',
    });
  });

  test('keep the reason why they are disabled when another field changes', () => {
    const gone = { type: 'WebhookDisabled', data: { endpoint_id: 'e-2', reason: 'gone' } } as const;
    const disabled = given(created, configured, secret, ...added, gone);
    const changed = eventsOf(
      changeEndpoint(disabled, {
        endpointId: 'e-2',
        change: { description: 'books' },
        newSecret: 'unused',
      }),
    );
    expect(changed.map(({ type }) => type)).toEqual(['WebhookConfigured']);
    const [, endpoint] = (given(created, configured, secret, ...added, gone, ...changed) as Shop)
      .endpoints;
    expect(endpoint).toMatchObject({ enabled: false, disabledReason: 'gone' });
  });

  test('change only the named fields, clear those that are null, and ignore equal values', () => {
    expect(change({ description: 'books' })).toEqual([
      {
        type: 'WebhookConfigured',
        data: { endpoint_id: 'e-2', url: second.url, enabled: true, types, description: 'books' },
      },
    ]);
    expect(change({ types: null })).toEqual([
      { type: 'WebhookConfigured', data: { endpoint_id: 'e-2', url: second.url, enabled: true } },
    ]);
    expect(change({ types, url: second.url, enabled: true })).toEqual([]);
    expect(change({ enabled: false }).at(-1)).toEqual({
      type: 'WebhookDisabled',
      data: { endpoint_id: 'e-2', reason: 'merchant' },
    });
    expect(change({ enabled: true }, 's')).toEqual([]);
  });

  test('cannot be changed, deleted or rotated if they do not exist', () => {
    const unknown = { endpointId: 'e-3', change: {}, newSecret: 's' };
    expect(changeEndpoint(both(), unknown)).toEqual(notFound);
    expect(deleteEndpoint(both(), 'e-3')).toEqual(notFound);
    const rotation = { newSecret: 's', previousValidUntil: '2026-02-01T12:00:00.000Z' };
    expect(rotateWebhookSecret(both(), { endpointId: 'e-3', ...rotation })).toEqual(notFound);
  });

  test('record once that they fail, and once that they recover (R14.19)', () => {
    const since = '2026-01-31T11:00:00.000Z';
    const failing = eventsOf(noteHealth(both(), { endpointId: 'e-2', failingSince: since }));
    expect(failing).toEqual([{ type: 'WebhookFailing', data: { endpoint_id: 'e-2', since } }]);
    const state = given(created, configured, secret, ...added, ...failing);
    expect(eventsOf(noteHealth(state, { endpointId: 'e-2', failingSince: since }))).toEqual([]);
    const recovered = eventsOf(noteHealth(state, { endpointId: 'e-2', failingSince: undefined }));
    expect(recovered).toEqual([{ type: 'WebhookRecovered', data: { endpoint_id: 'e-2' } }]);
    expect(eventsOf(noteHealth(both(), { endpointId: 'e-2', failingSince: undefined }))).toEqual(
      [],
    );
    expect(state).toMatchObject({ endpoints: [{}, { failingSince: since }] });
    expect(evolveShop(state, recovered[0] as ShopEvent, stored)).toMatchObject({
      endpoints: [{}, { endpointId: 'e-2', failingSince: undefined }],
    });
  });

  test('have the next one first after the first is deleted', () => {
    const deleted = eventsOf(deleteEndpoint(both(), 's'));
    const state = given(created, configured, secret, ...added, ...deleted);
    const moved = eventsOf(configureWebhook(state, { ...command, url: 'https://c.example/' }));
    expect(moved).toEqual([
      {
        type: 'WebhookConfigured',
        data: { endpoint_id: 'e-2', url: 'https://c.example/', enabled: true, types },
      },
    ]);
  });

  test('get a new id after all were deleted', () => {
    const deleted: ShopEvent = { type: 'WebhookEndpointDeleted', data: { endpoint_id: 's' } };
    const again = configureWebhook(given(created, configured, secret, deleted), command);
    expect(eventsOf(again).map(({ data }) => data)).toMatchObject([
      { endpoint_id: 'e-new', url: command.url },
      { endpoint_id: 'e-new', secret: 'whsec_1' },
    ]);
  });
});

test('commands on an unknown shop are rejected', () => {
  const key = { keyId: 'k', keyHash: 'h', label: 'l', hint: 'x' };
  expect(changeShop(noShop, { name: 'x' })).toEqual(notFound);
  expect(issueApiKey(noShop, key)).toEqual(notFound);
  expect(replaceRoutes(noShop, [])).toEqual(notFound);
  expect(
    configureWebhook(noShop, {
      url: 'https://a.example/',
      enabled: true,
      newSecret: 's',
      newEndpointId: 'e',
    }),
  ).toEqual(notFound);
});
