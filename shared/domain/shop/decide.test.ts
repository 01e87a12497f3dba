import { describe, expect, test } from 'vitest';
import {
  changeShop,
  configureWebhook,
  createShop,
  issueApiKey,
  maxKeys,
  maxKeysEver,
  replaceRoutes,
  revokeApiKey,
  rotateWebhookSecret,
  type ShopDecision,
} from './decide.ts';
import { route } from '../operation/testing/steps.ts';
import { asStored } from '../testing/as-stored.ts';
import { decodeShopEvent, type ShopEvent } from './events.ts';
import type { Route } from '../routing.ts';
import { evolveShop, isExpired, noShop, type ShopState } from './state.ts';

const settings = {
  name: 'Shop',
  hosted_page: true,
  overdraft_limits: { RUB: '10.00' },
  rate_limit: { per_second: 100, burst: 200 },
};
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

const given = (...events: ShopEvent[]): ShopState =>
  events.reduce<ShopState>(
    (state, event) => evolveShop(state, event, '2026-01-31T12:00:00.000Z'),
    noShop,
  );

/** The events of a decision, as the log will give them back. */
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

  test('without a change adds no event', () => {
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

  test('keeps until when, from where and for what it was issued', () => {
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

  test('is refused beyond the limits of current and of all keys', () => {
    const shop = given(created);
    if (shop.phase === 'none') throw new Error('a shop was expected');
    const key = { keyId: 'new', keyHash: 'h', label: 'till', hint: 'abcd', limits: {} };
    const keys = (count: number, revokedAt?: string) =>
      Array.from({ length: count }, (_, index) => ({
        ...key,
        keyId: `k${index}`,
        createdAt: '2026-01-31T12:00:00.000Z',
        ...(revokedAt && { revokedAt }),
      }));
    const issue = (apiKeys: typeof shop.apiKeys) => issueApiKey({ ...shop, apiKeys }, key);
    const refused = { refusal: 'too_many_keys' };
    expect(issue(keys(maxKeys))).toEqual(refused);
    expect(eventsOf(issue(keys(maxKeys - 1)))).toHaveLength(1);
    expect(eventsOf(issue(keys(maxKeys, '2026-02-01T12:00:00.000Z')))).toHaveLength(1);
    expect(issue(keys(maxKeysEver, '2026-02-01T12:00:00.000Z'))).toEqual(refused);
  });

  test('that does not exist cannot be revoked', () => {
    expect(revokeApiKey(given(created), 'k')).toEqual(notFound);
  });
});

test('routes with the environment’s account are stored without it, and are equal', () => {
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
  const madeFromNone = (from: readonly Route[]) => from.length === 0;
  expect(replaceRoutes(given(created, replaced), [], madeFromNone)).toEqual({
    refusal: 'routes_changed',
  });
  expect(eventsOf(replaceRoutes(given(created), [route], madeFromNone))).toHaveLength(1);
  expect(eventsOf(replaceRoutes(given(created, replaced), [route], madeFromNone))).toEqual([]);
});

describe('a webhook', () => {
  const command = { url: 'https://a.example/', enabled: true, newSecret: 'whsec_1' };

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

  test('that an operator disables records this', () => {
    const off = configureWebhook(given(created, configured, secret), {
      ...command,
      enabled: false,
    });
    expect(eventsOf(off)).toEqual([
      { type: 'WebhookConfigured', data: { url: command.url, enabled: false } },
      { type: 'WebhookDisabled', data: { reason: 'operator' } },
    ]);
  });

  test('that answered 410 is enabled again by the same command', () => {
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
      webhook: {
        secret: 'whsec_6',
        previous: [4, 3, 2, 1].map((at) => ({ secret: `whsec_${at + 1}`, validUntil: times[at] })),
      },
    });
  });

  test('can rotate an existing secret', () => {
    const rotation = { newSecret: 'whsec_2', previousValidUntil: '2026-02-01T12:00:00.000Z' };
    const [rotated] = eventsOf(rotateWebhookSecret(given(created, configured, secret), rotation));
    if (!rotated) throw new Error('an event was expected');
    expect(given(created, configured, secret, rotated)).toMatchObject({
      webhook: {
        secret: 'whsec_2',
        previous: [{ secret: 'whsec_1', validUntil: rotation.previousValidUntil }],
      },
    });
    expect(rotateWebhookSecret(given(created), rotation)).toEqual(notFound);
  });
});

test('commands on an unknown shop are refused', () => {
  const key = { keyId: 'k', keyHash: 'h', label: 'l', hint: 'x' };
  expect(changeShop(noShop, { name: 'x' })).toEqual(notFound);
  expect(issueApiKey(noShop, key)).toEqual(notFound);
  expect(replaceRoutes(noShop, [])).toEqual(notFound);
  expect(
    configureWebhook(noShop, { url: 'https://a.example/', enabled: true, newSecret: 's' }),
  ).toEqual(notFound);
});
