import type { NewLogEvent } from '../log.ts';
import { newId } from '#shared/platform/ids.ts';
import { keyHashOf, testRoute, testSettings } from '../shops.ts';
import {
  approved,
  type NamedEvents,
  otherShopId,
  payment,
  shopId,
  switchOf,
} from '../valid-log.ts';
import {
  accountAdded,
  after,
  again,
  all,
  atAccount,
  change,
  changeRoute,
  conversion,
  type Corruptions,
  corruptionsFor,
  type Data,
  dataOf,
  drop,
  hasRoute,
  inOperation,
  removed,
  set,
  tokenRevoked,
  twoMinutesBefore,
} from './changes.ts';

const revokedKey = (id: string) => ({
  stream: `shop-${id}`,
  type: 'ApiKeyRevoked',
  data: { key_id: 'x' },
});
const ofEndpoint = (type: string, data: Data = {}) => ({
  stream: `shop-${shopId}`,
  type,
  data: { endpoint_id: 'endpoint-9', ...data },
});
const configured = ofEndpoint('WebhookConfigured', { url: 'https://example.com', enabled: true });
const announced = (changed: Data) => ({
  stream: 'directory',
  type: 'SetupChanged',
  data: { shop_id: shopId, shop_revision: 1, ...changed },
});

const laterRoute = { priority: 2, commission: { percent: '90', fixed: '0.00' } };
/** Adds a dear route for payments after all others of the shops. */
const hasLaterRoute = (events: NamedEvents): void => {
  for (const { type, data } of events.values())
    if (type === 'RoutesReplaced')
      (data as { routes: object[] }).routes.push(testRoute('payment', laterRoute));
};
const skipped = (reason: string, provider = 'sandbox') =>
  inOperation(payment, 'RoutesSkipped', { routes: [{ provider, priority: 1, reason }] });

export const receiptsAndRoutes = {
  'receipts.not_owed': {
    'receipts of an open operation': drop('payment-completed'),
    'duplicate receipts': again('evidence'),
    'receipts where the legs are the evidence': change('payment-completed', { evidence: 'legs' }),
    'receipts of an unknown operation': set('evidence', { stream: `receipts-${newId()}` }),
  },
  'receipts.not_shown': {
    'an unreported leg as evidence of an approval': (events) => {
      for (const leg of dataOf(events, 'approved-completed')['legs'] as Data[])
        delete leg['synthetic'];
    },
  },
  'receipts.legs': {
    'a leg without a receipt': (events) =>
      void (dataOf(events, 'evidence')['items'] as unknown[]).pop(),
    'a receipt of an unknown leg': (events) => {
      const items = dataOf(events, 'evidence')['items'] as Data[];
      items.push({ ...items[0], receipt_id: 'r9', leg_id: 'l9' });
    },
    'a receipt of another provider': (events) => {
      for (const item of dataOf(events, 'evidence')['items'] as Data[]) item['provider'] = 'other';
    },
    'a receipt of a day long before its leg': (events) => {
      const [item] = dataOf(events, 'evidence')['items'] as Data[];
      Object.assign(item as Data, { completed_at: '2020-01-31T12:01:00.000Z' });
    },
    'two receipts with one id': (events) => {
      for (const item of dataOf(events, 'evidence')['items'] as Data[]) item['receipt_id'] = 'r1';
    },
    'receipts of which one is negative': (events) => {
      const items = dataOf(events, 'evidence')['items'] as Data[];
      items.push({ ...items[0], receipt_id: 'r8', amount: '50000.00' });
      items.push({ ...items[0], receipt_id: 'r9', amount: '-50000.00' });
    },
    'a receipt of another attempt': (events) => {
      for (const item of dataOf(events, 'evidence')['items'] as Data[]) item['attempt'] = 2;
    },
  },
  'receipts.status': {
    'a partial status without a reason': change('evidence', { status: 'partial' }),
    "an operator's confirmation as a receipt": (events) => {
      const evidence = dataOf(events, 'evidence');
      const [item] = evidence['items'] as Data[];
      after('approved-credit', {
        stream: `receipts-${approved}`,
        type: 'EvidenceMaterialised',
        data: {
          ...evidence,
          operation_id: approved,
          shop_id: otherShopId,
          items: [{ ...item, leg_id: 'o1', amount: '100.00' }],
        },
      })(events);
    },
  },
  'setup.order': {
    'the revocation of an unknown token': after('token', tokenRevoked('x')),
    'a shop without its merchant': drop('setup-1'),
    'a member added twice': again('vera-added'),

    'a token issued twice': again('token'),
    'a client’s key created twice': again('key-in-use'),
    'a client’s key created after it was retired': (events) =>
      after('erasure-retired', structuredClone(events.get('erased-key') as NewLogEvent))(events),
    'a merchant created twice': again('setup-1'),
    'a shop created twice': again('setup-2'),
    'an API key issued twice': again('members-key'),
    'the revocation of an unknown API key': after('token', revokedKey(shopId)),
    'a change of an unknown shop': after('token', revokedKey('shop-9')),
    'the announcement of an unknown shop': after('token', announced({ shop_id: 'shop-9' })),
    'the announcement of an unknown API key': after(
      'token',
      announced({ api_key: { key_id: 'x', key_hash: 'h' } }),
    ),
    'the announcement of a change that the shop has not had': after(
      'members-key',
      announced({ shop_revision: 1_000 }),
    ),
    'the announcement of an API key with the hash of another': after(
      'members-key',
      announced({ api_key: { key_id: 'key-of-anna', key_hash: keyHashOf(otherShopId) } }),
    ),
    'the removal of an unknown member': removed('zoe'),
    'an adjustment requested twice': again('adjustment'),
    'a provider account added twice': after('token', accountAdded, accountAdded),
    ...corruptionsFor(['ProviderAccountRemoved', 'ProviderAccountSwitchedOff'], (type) => [
      `${type} of an unknown provider account`,
      after('token', {
        stream: 'directory',
        type,
        data: { provider: 'sandbox', account: 'second', reason: 'a test' },
      }),
    ]),
    'the secret of an unknown webhook endpoint': after(
      'token',
      ofEndpoint('WebhookSecretIssued', { secret: 'whsec_x' }),
    ),
    'the deletion of an unknown webhook endpoint': after(
      'token',
      ofEndpoint('WebhookEndpointDeleted'),
    ),
    'a deleted webhook endpoint that is configured again': after(
      'token',
      configured,
      ofEndpoint('WebhookEndpointDeleted'),
      configured,
    ),
    'an endpoint that fails since long before it was there': after(
      'token',
      configured,
      ofEndpoint('WebhookFailing', { since: '2025-01-31T12:00:00.000Z' }),
    ),
  },
  'setup.settings': {
    ...corruptionsFor<Data>(
      [{ return_url: 'javascript:alert(1)' }, { overdraft_limits: { RUB: '-1000.00' } }],
      (changed) => [
        `a shop with ${JSON.stringify(changed)}`,
        after('token', {
          stream: `shop-${shopId}`,
          type: 'ShopChanged',
          data: { settings: { ...testSettings(shopId), ...changed } },
        }),
      ],
    ),
    'a route with its limits exchanged': after('token', {
      stream: `shop-${shopId}`,
      type: 'RoutesReplaced',
      data: { routes: [testRoute('payment', { min_amount: '900.00', max_amount: '10.00' })] },
    }),
  },
  'routing.route': {
    ...corruptionsFor<Data>(
      [
        { commission: { percent: '90', fixed: '0.00' } },
        { commission: { percent: '2.50', fixed: '1.00' } },
        { provider: 'other' },
        { max_amount: '100.00' },
        { options: { fx_rate: '2' } },
      ],
      (changed) => [
        `an attempt with ${JSON.stringify(changed)}, which no route of the shop has`,
        changeRoute('reviewed-started', changed),
      ],
    ),
    'a conversion that no route of the shop has': all(
      changeRoute('reviewed-started', { conversion }),
      change('reviewed-accepted', { fx_rate: '0.012500' }),
    ),
    'an attempt by a route removed long before': all(
      (events) => {
        for (const event of events.values())
          if (event.type === 'RoutesReplaced') Object.assign(event, twoMinutesBefore);
      },
      after('members-key', {
        stream: `shop-${shopId}`,
        type: 'RoutesReplaced',
        data: { routes: [] },
        ...twoMinutesBefore,
      }),
    ),
  },
  'routing.order': {
    'a dearer route of lower priority, while the first fits': all(
      hasLaterRoute,
      changeRoute('payment-started', laterRoute),
    ),
    'a route that is skipped as switched off, and never was': all(
      drop('switched-off', 'switched-on'),
      after('payment-admitted', skipped('provider_off')),
    ),
    'a route that is skipped for its account, which is open': all(
      after('token', { ...accountAdded, ...twoMinutesBefore }),
      after('payment-admitted', skipped('account_off')),
    ),
    'a route without a daily limit that is skipped as full': after(
      'payment-admitted',
      skipped('route_full'),
    ),
    'skipped routes that the shop did not have': after(
      'payment-admitted',
      skipped('provider_failing', 'other'),
    ),
  },
  'routing.daily_limit': {
    ...corruptionsFor<Data>([{ daily_count: 1 }, { daily_amount: '199.99' }], (limit) => [
      `a second attempt a minute later on a route with ${JSON.stringify(limit)}`,
      all(
        hasRoute({ requires_receipt: true, ...limit }),
        changeRoute('reviewed-started', limit),
        set('reviewed-started', { atMs: Date.parse('2026-01-31T12:01:30.000Z') }),
      ),
    ]),
  },
  'routing.provider_off': {
    'an attempt with a provider switched off long before': after('switched-on', {
      ...switchOf('ProviderSwitchedOff'),
      atMs: Date.parse('2026-01-31T11:59:00.000Z'),
    }),
  },
  'routing.account_off': {
    'an attempt with an unknown account': atAccount,
    'an attempt with an account switched off long before': all(
      after(
        'token',
        { ...accountAdded, ...twoMinutesBefore },
        {
          stream: 'directory',
          type: 'ProviderAccountSwitchedOff',
          data: { provider: 'sandbox', account: 'second', reason: 'a test' },
          ...twoMinutesBefore,
        },
      ),
      atAccount,
    ),
  },
} satisfies Corruptions;
