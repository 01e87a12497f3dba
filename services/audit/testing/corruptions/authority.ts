import { newId } from '#shared/platform/ids.ts';
import { keyOf } from '../log.ts';
import { otherShopId, payment, payout, shopId } from '../valid-log.ts';
import {
  aDayBefore,
  adminService,
  after,
  again,
  all,
  anna,
  by,
  byWithoutReport,
  type Change,
  change,
  type Corruptions,
  type Data,
  drop,
  firstAdmin,
  inOperation,
  noMoney,
  otherProvider,
  ownKey,
  payer,
  processor,
  removed,
  sandbox,
  set,
  tokenFor,
  tokenRevoked,
  unnamedAdmin,
} from './changes.ts';

/** Issues the shop's API key with these limits. */
const changeKey =
  (limits: Data): Change =>
  (events) => {
    for (const { type, data } of events.values())
      if (type === 'ApiKeyIssued' && (data as Data)['key_id'] === keyOf(shopId))
        Object.assign(data as Data, limits);
  };

export const authority = {
  'authority.role': {
    'a provider switched off by an unknown operator': by('switched-off', {
      actor: 'operator:absent',
    }),
    'a token issued by a service': by('token', adminService),
    'a token issued by an unknown operator': by('token', { actor: 'operator:mallory' }),
    'a manual close by an operator': after('payment-leg', tokenFor('oleg', 'operator'), {
      ...inOperation(payment, 'CloseDecided', { note: 'x' }),
      actor: 'operator:oleg',
      tokenId: 't2',
    }),
    'a statement requested by an auditor': all(
      after('payment-leg', tokenFor('anna', 'auditor')),
      by('stated', { actor: 'operator:anna', tokenId: 't2' }),
    ),
    'a token used under the name of another operator': by('decided', {
      actor: 'operator:admin',
      tokenId: 't',
    }),
    'a receipt decision with a token revoked long before': all(
      by('decided', { actor: 'operator:n', tokenId: 't' }),
      after('token', { ...tokenRevoked('t'), ...aDayBefore }),
    ),
    'an operation admitted by an operator': by('payment-admitted', firstAdmin),
    'an adjustment posted by an operator who never had a token': by('adjusted', {
      actor: 'operator:absent',
    }),
  },
  'authority.actor': {
    'a payout file uploaded by a service': by('batch-checked', processor),
    'money reported by the merchant': byWithoutReport('payment-leg', ownKey),
    'a terminal status set by the merchant': byWithoutReport('payment-completed', ownKey),
    'money reported by another provider': byWithoutReport('payment-leg', otherProvider),
    'a terminal status set by another provider': byWithoutReport('payout-completed', otherProvider),
    'late money reported by another provider': byWithoutReport('late', otherProvider),
    'a credit posted by the merchant': byWithoutReport('credit', ownKey),
    'a credit posted by the provider': byWithoutReport('credit', sandbox),
    'suspense posted by the provider': byWithoutReport('suspense', sandbox),
    'an adjustment posted by a service': byWithoutReport('adjusted', processor),
    'an erasure completed by a service': byWithoutReport('erasure-erased', adminService),
    'a cancel by a service': byWithoutReport('cancelled', processor),
    'an admission by a service': byWithoutReport('payment-admitted', processor),
    'a reserve posted by the payer': byWithoutReport('reserve', payer),
    'a payout declined by a provider that was never called': after('payout-requested', {
      ...inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      actor: 'provider:other',
    }),
    'a statement imported by a merchant': by('stated', { actor: 'merchant:m' }),
    'an audit recorded by a payer': by('audited', payer),
    'a declined review by a payer': by('reviewed-declined', payer),

    'a late fact of an unknown operation by a provider': all(
      set('late', { stream: `late-${newId()}` }),
      byWithoutReport('late', sandbox),
    ),
    'late money of another provider': all(
      change('late', { provider: 'other' }),
      byWithoutReport('late', sandbox),
    ),
  },
  'authority.token': {
    'an adjustment posted by an operator without a token id': by('adjusted', unnamedAdmin),
    'an operator decision without a token id': by('decided', unnamedAdmin),
    'an adjustment without a token id': by('adjustment', unnamedAdmin),
  },
  'authority.key': {
    'an API key of another shop': by('payment-admitted', {
      actor: `merchant:${shopId}`,
      keyId: keyOf(otherShopId),
    }),
    'another shop with its own API key': by('payment-started', {
      actor: `merchant:${otherShopId}`,
      keyId: keyOf(otherShopId),
    }),
    'an unknown API key': by('payment-admitted', { actor: `merchant:${shopId}`, keyId: 'k' }),
    'no API key': by('payment-admitted', { actor: `merchant:${shopId}` }),
    'no API key on an early cancel': by('cancelled-first', { actor: `merchant:${shopId}` }),
    'an API key that had expired': changeKey({ expires_at: '2026-01-31T11:00:00.000Z' }),
    'a payout by an API key for reads': changeKey({ scopes: ['payments', 'read'] }),
    'an endpoint added by an API key for reads': all(
      changeKey({ scopes: ['payments', 'payouts', 'read'] }),
      after('token', {
        stream: `shop-${shopId}`,
        type: 'WebhookConfigured',
        data: { endpoint_id: 'e', url: 'https://c.example/', enabled: true },
        ...ownKey,
      }),
    ),
    'an API key revoked long before': after('token', {
      stream: `shop-${shopId}`,
      type: 'ApiKeyRevoked',
      data: { key_id: keyOf(shopId) },
      ...aDayBefore,
    }),
  },
  'authority.payer': { 'a payer on another page': by('uploaded', { actor: 'payer:elsewhere' }) },
  'authority.member': {
    'an API key issued by a viewer': by('members-key', { actor: 'member:vera' }),
    'an API key issued by a non-member': by('members-key', { actor: 'member:absent' }),
    'an API key of another shop issued by a member': after('members-key', {
      stream: `shop-${otherShopId}`,
      actor: 'member:anna',
      type: 'ApiKeyIssued',
      data: { key_id: 'key-of-other', key_hash: 'h-of-other', label: 'l', hint: 'abcd' },
    }),
    'an operator command by a member': by('adjustment', anna),
    'a sign-in of a member removed long before': removed('boris', 'boris-link'),
    'a command in a session whose link was issued by a removed member': all(
      by('members-key', { linkIssuers: ['member:vera'] }),
      removed('vera'),
    ),
    'a sign-in that names another link issuer': by('vera-in', { linkIssuers: ['operator:admin'] }),
    'a sign-in link used twice': again('vera-in'),
    'a sign-in link used by another member': change('vera-in', { link_hash: 'link-of-anna' }),

    'a member that removes itself': after('boris-in', {
      stream: `members-${shopId}`,
      actor: 'member:boris',
      type: 'MemberRemoved',
      data: { member_id: 'boris' },
    }),
    'a sign-in of another member': by('vera-in', anna),
    'a sign-in that names no link issuer': set('boris-in', { linkIssuers: undefined }),
    'a file confirmed by a member that names no link issuer': set('batch-confirmed', {
      linkIssuers: undefined,
    }),
    'a file confirmed in a session of another link issuer': by('batch-confirmed', {
      actor: 'member:anna',
      linkIssuers: ['operator:n'],
    }),
    'a file confirmed by a member who never signed in': all(
      drop('boris-in'),
      by('batch-confirmed', {
        actor: 'member:boris',
        linkIssuers: ['member:anna', 'operator:admin'],
      }),
    ),
    'a sign-in with an expired link': set('boris-in', {
      atMs: Date.parse('2026-01-31T14:00:00.000Z'),
    }),
  },
  'authority.second_member': {
    'a file confirmed by the member who uploaded it': by('batch-checked', anna),
    'a file confirmed with an API key': set('batch-confirmed', {
      ...ownKey,
      linkIssuers: undefined,
    }),
    'a file confirmed by the issuer of the key that uploaded it': by('batch-checked', {
      ...ownKey,
      keyId: 'key-of-anna',
    }),
    'a file confirmed in a session whose link its uploader issued': all(
      by('batch-checked', anna),
      by('batch-confirmed', {
        actor: 'member:boris',
        linkIssuers: ['member:anna', 'operator:admin'],
      }),
    ),
    'a file that was never uploaded': drop('batch-checked'),
  },
  'authority.amount': {
    'an approval by an operator of more than was expected': all(
      after('token', tokenFor('oleg', 'operator')),
      by('approved-decided', { actor: 'operator:oleg', tokenId: 't2' }),
      change('approved-decided', { actual_amount: '999999999999.99' }),
    ),
  },
  'authority.decision': {
    'a completion by an operator without a decision': by('payment-completed', firstAdmin),
    'a terminal status by another operator than the one who decided': by('approved-completed', {
      actor: 'operator:n',
      tokenId: 't',
    }),
  },
} satisfies Corruptions;
