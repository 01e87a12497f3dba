/**
 * An event of every type and schema version that was ever written, as the log stores it. Examples
 * never change, because stored events must stay readable: a new version adds an example and an
 * upcast.
 */
export type StoredExample = {
  schema_version: number;
  type: string;
  data: unknown;
  /** The decoded data, if the newest version has another shape. */
  read?: unknown;
};

const operation = {
  operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
  shop_id: 'shop-1',
  merchant_id: 'merchant-1',
};
const keyId = 'k'.repeat(22);
/** In the form of a sealed value; no key opens it. */
const sealed = `v1.${keyId}.${'n'.repeat(16)}.${'c'.repeat(80)}`;
const sha256 = 'f0e4c2f76c58916ec258f246851bea091d14d4247a2fc3e18694461b1816e13b';
const bank = { bankname: 'sberbank', bankname_details: 'Сбербанк' };
const request = {
  client_id: 'client-1',
  method: 'WT_RUB_PHONE',
  amount: '100.00',
  currency: 'RUB',
};
const sealedRequest = { ...request, client_ip: { sealed }, destination: { sealed, ...bank } };
const admission = {
  ...operation,
  merchant_operation_id: 'order-1',
  accept_until: '2026-01-31T12:00:15.000Z',
};
const admissionOfPayout = {
  ...admission,
  type: 'payout',
  body_hash: { rest: sha256, personal: { key_id: keyId, hmac: 'ab'.repeat(32) } },
  endpoint: '/v1/payout',
  api_version: 'v1',
};
const receiptId = { receipt_id: '6f1d5b1e-0000-4000-8000-000000000002' };
const shopCreated = {
  shop_id: 'shop-1',
  merchant_id: 'merchant-1',
  operation_id_secret: 'ab'.repeat(32),
};
const apiKey = { key_id: 'key-1', key_hash: 'cd'.repeat(32), label: 'main', hint: 'a1B2' };
const memberId = { member_id: '6f1d5b1e-0000-4000-8000-0000000000cc' };

const route = {
  type: 'payment',
  method: 'WT_RUB_PHONE',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  requires_receipt: false,
  min_amount: '10.00',
  max_amount: '1000.00',
  commission: { percent: '2.50', fixed: '0.00' },
  conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
  options: { autopilot_ms: 3000 },
};
const dailyLimits = { daily_count: 500, daily_amount: '100000.00' };
const leg = {
  leg_id: 'leg-1',
  amount: '60.00',
  completed_at: '2026-01-31T12:00:05.000Z',
  file: true,
};
const noMoney = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };
const money = {
  actual_amount: '60.00',
  recorded_amount: '0.75',
  settlement_amount: '0.73',
  commission_amount: '0.02',
  legs: [leg],
};
const settings = {
  name: 'Shop',
  hosted_page: true,
  overdraft_limits: { RUB: '0.00' },
  rate_limit: { per_second: 100, burst: 200 },
};
const settingsForPayers = {
  ...settings,
  display_name: 'Ромашка',
  support: '+7 800 555-35-35',
  return_url: 'https://shop.example/orders/{merchant_operation_id}',
};
const settingsWithSecondMember = { ...settingsForPayers, payout_batches_need_second_member: true };
const returned = {
  leg_id: 'leg-1-back',
  of_leg_id: 'leg-1',
  amount: '20.00',
  completed_at: '2026-02-01T12:00:00.000Z',
};
const late = { ...operation, attempt: 1, provider: 'sandbox' };
const entry = { shop_id: 'shop-1', currency: 'RUB' };
const statement = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-31' };
const reservation = { operation_id: '6f1d5b1e-0000-8000-8000-000000000002', reservation: 1 };

/** Late money with an id that another account used, from before the field for the provider's id. */
const withProviderLegId = (
  make: typeof v1,
  { type, data, own }: { type: string; data: Record<string, unknown>; own: object },
): StoredExample => ({ ...make(type, data), read: { ...data, or_leg_id: true, ...own } });

const account = { provider: 'sandbox', account: 'second' };
const credentials = {
  master_key_id: '00112233aabbccdd',
  sealed: 's'.repeat(120),
  fingerprint: '0a1b2c3d',
};

const v1 = (type: string, data: unknown): StoredExample => ({ schema_version: 1, type, data });
const v2 = (type: string, data: unknown): StoredExample => ({ schema_version: 2, type, data });
const v3 = (type: string, data: unknown): StoredExample => ({ schema_version: 3, type, data });
const v4 = (type: string, data: unknown): StoredExample => ({ schema_version: 4, type, data });
/** An admission before version 3, which hashed the whole body. */
const ofTheWhole = (make: typeof v1, data: Record<string, unknown>): StoredExample => ({
  ...make('OperationAdmitted', data),
  read: { ...data, body_hash: { whole: data['body_hash'] } },
});

const payoutBatch = { batch_id: 'batch-1', shop_id: 'shop-1' };

const auditRan = {
  started_at: '2026-01-31T03:15:00.000Z',
  seconds: 12.345,
  outcome: 'violated',
  position: '123456',
  as_of: '2026-01-31T03:15:12.000Z',
  audited_shop_id: late.shop_id,
  events: 100,
  operations: 10,
  entries: 20,
  journal: { events: 100, hash: '0'.repeat(64) },
  rules: [{ rule: 'ledger.totals', looked_at: 20, violations: 1 }],
  findings: [
    {
      rule: 'ledger.totals',
      stream: 'ledger-shop-1-RUB',
      revision: 3,
      position: '1234',
      shop_id: late.shop_id,
    },
  ],
  not_compared: ['the read model operations was catching up: audit again once it has'],
  since: {
    position: '1000',
    events: 50,
    hash: '1'.repeat(64),
    created_at: '2026-01-30T03:15:12.000Z',
    holds: true,
  },
  checkpoint: {
    position: '123456',
    events: 100,
    hash: '0'.repeat(64),
    created_at: '2026-01-31T03:15:12.000Z',
    signed_with: 'SHA256:abc',
  },
};

const signedRoot = {
  shop_id: late.shop_id,
  tree_size: 3,
  root: 'A'.repeat(43),
  signed_at: '2026-01-31T12:00:10.000Z',
  key_id: '0123456789abcdef',
  signature: 'A'.repeat(86),
};

export const storedExamples = {
  operation: [
    ofTheWhole(v1, {
      ...admission,
      type: 'payment',
      body_hash: sha256,
      request: {
        ...request,
        client_ip: '192.0.2.1',
        destination: { number: '+79000000000', name: 'аноним', ...bank },
      },
    }),
    ofTheWhole(v2, { ...admission, type: 'payout', body_hash: sha256, request: sealedRequest }),
    v3('OperationAdmitted', { ...admissionOfPayout, request: sealedRequest }),
    v4('OperationAdmitted', {
      ...admissionOfPayout,
      request: { ...sealedRequest, metadata: { sealed } },
    }),
    v1('OperationCancelledBeforeCreate', {
      ...operation,
      merchant_operation_id: 'order-1',
      reason: 'cancel',
    }),
    v1('ReservationRequested', {
      reservation: 1,
      currency: 'USD',
      amount: '1.28',
      fx_rate: '0.012500',
    }),
    v1('FundsReserved', { reservation: 1, attempt: 2 }),
    v1('ReceiptUploaded', {
      ...receiptId,
      sha256,
      size_bytes: 1024,
      pdf: true,
    }),
    v1('ReceiptSubmitted', {
      ...receiptId,
      attempt: 1,
      taken: true,
    }),
    v1('ManualCheckStarted', {
      ...receiptId,
      reason: 'potential_fake',
    }),
    v1('ReviewDecided', {
      ...receiptId,
      decision: 'approve',
      actual_amount: '60.00',
      note: 'the transfer is on the statement',
    }),
    v1('CloseDecided', { note: 'the provider has not answered for a month' }),
    v2('CloseDecided', { note: 'it has been in progress for a month', forced: true }),
    v1('AttemptStarted', { attempt: 1, route }),
    v2('AttemptStarted', { attempt: 1, route: { ...route, account: 'second' } }),
    v2('AttemptStarted', { attempt: 1, route: { ...route, ...dailyLimits } }),
    v1('AttemptAccepted', {
      attempt: 1,
      provider_reference: 'ref-1',
      requisites: { number: '+79000000001', name: 'ИВАН И', ...bank },
      expires_at: '2026-01-31T12:30:00.000Z',
      fx_rate: '0.012500',
      confirmation_required: false,
    }),
    v2('AttemptAccepted', {
      attempt: 1,
      provider_reference: 'ref-1',
      requisites: { sealed, ...bank },
      confirmation_required: true,
    }),
    v3('AttemptAccepted', {
      attempt: 1,
      provider_reference: 'ref-1',
      requisites: { sealed, ...bank, transfer_purpose: 'GWK7QW3M9PXTRA0' },
      confirmation_required: false,
    }),
    v1('AttemptRefused', { attempt: 1, reason: 'limit' }),
    v2('AttemptRefused', {
      attempt: 1,
      reason: 'insufficient_funds',
      funds: { currency: 'RUB', balance: '-30.00', limit: '100.00', need: '102.50' },
    }),
    v1('AttemptUnresolved', { attempt: 1, cause: 'timeout' }),
    v1('AttemptWithdrawn', { attempt: 1 }),
    v1('RoutesSkipped', { routes: [{ provider: 'sandbox', priority: 1, reason: 'provider_off' }] }),
    v2('RoutesSkipped', {
      routes: [{ provider: 'sandbox', priority: 1, reason: 'provider_failing' }],
    }),
    v3('RoutesSkipped', { routes: [{ provider: 'sandbox', priority: 1, reason: 'account_off' }] }),
    v3('RoutesSkipped', { routes: [{ provider: 'sandbox', priority: 1, reason: 'route_full' }] }),
    v1('LegReceived', { attempt: 1, leg }),
    v2('LegReceived', { attempt: 1, leg, report_version: 3 }),
    v1('LegCorrected', {
      attempt: 1,
      leg: { ...leg, amount: '6.00' },
      was: '60.00',
      report_version: 4,
    }),
    v1('LegReturned', { attempt: 1, returned, counted: '20.00', leg: { ...leg, amount: '40.00' } }),
    v1('OperationCompleted', money),
    v1('OperationPartiallyCompleted', money),
    v2('OperationCompleted', { ...money, report_version: 3 }),
    v2('OperationPartiallyCompleted', { ...money, report_version: 3 }),
    v3('OperationCompleted', { ...money, report_version: 3, evidence: 'legs' }),
    v3('OperationPartiallyCompleted', { ...money, report_version: 3, evidence: 'legs' }),
    v1('OperationDeclined', { ...noMoney, reason: 'all_refused' }),
    v1('OperationExpired', noMoney),
    v2('OperationDeclined', { ...noMoney, reason: 'provider', report_version: 3 }),
    v2('OperationExpired', { ...noMoney, report_version: 3 }),
    v3('OperationDeclined', { ...noMoney, reason: 'routes_skipped' }),
    v4('OperationDeclined', { ...noMoney, reason: 'routes_full' }),
    v1('OperationCancelled', { ...noMoney, reason: 'cancel' }),
  ],
  personal_key: [
    v1('PersonalKeyCreated', {
      shop_id: 'shop-1',
      key_id: keyId,
      master_key_id: '00112233aabbccdd',
      wrapped: 'w'.repeat(80),
    }),
    v1('PersonalKeyRetired', { key_id: keyId }),
  ],
  erasure: [
    v1('PersonalDataErasureRequested', {
      shop_id: 'shop-1',
      client_id: 'client-1',
      key_id: keyId,
    }),
    v1('PersonalDataErased', { operations: 3, in_clear: 0, receipt_files: 1 }),
  ],
  merchant: [v1('MerchantCreated', { merchant_id: 'merchant-1', name: 'Merchant' })],
  shop: [
    v1('ShopCreated', {
      ...shopCreated,
      settings,
    }),
    v2('ShopCreated', {
      ...shopCreated,
      settings: settingsForPayers,
    }),
    v3('ShopCreated', {
      ...shopCreated,
      settings: settingsWithSecondMember,
    }),
    v1('ShopChanged', { settings }),
    v2('ShopChanged', { settings: settingsForPayers }),
    v3('ShopChanged', { settings: settingsWithSecondMember }),
    v1('ApiKeyIssued', apiKey),
    v2('ApiKeyIssued', {
      ...apiKey,
      expires_at: '2027-01-31T12:00:00.000Z',
      allowed_ips: ['203.0.113.0/24', '2001:db8::/32'],
      scopes: ['payments', 'read'],
    }),
    v1('ApiKeyRevoked', { key_id: 'key-1' }),
    v1('RoutesReplaced', { routes: [route] }),
    v2('RoutesReplaced', { routes: [{ ...route, account: 'second' }] }),
    v2('RoutesReplaced', { routes: [{ ...route, ...dailyLimits }] }),
    v1('WebhookConfigured', { url: 'https://shop.example/webhook', enabled: true }),
    v2('WebhookConfigured', {
      endpoint_id: 'endpoint-1',
      url: 'https://shop.example/webhook',
      enabled: true,
      types: ['payment.completed'],
      description: 'accounting',
    }),
    v1('WebhookDisabled', { reason: 'gone' }),
    v2('WebhookDisabled', { endpoint_id: 'endpoint-1', reason: 'gone' }),
    v1('WebhookSecretIssued', {
      secret: 'whsec_ZXhhbXBsZQ==',
      previous_valid_until: '2026-02-01T12:00:00.000Z',
    }),
    v2('WebhookSecretIssued', { endpoint_id: 'endpoint-1', secret: 'whsec_ZXhhbXBsZQ==' }),
    v1('WebhookFailing', { endpoint_id: 'endpoint-1', since: '2026-01-31T12:00:00.000Z' }),
    v1('WebhookRecovered', { endpoint_id: 'endpoint-1' }),
    v1('WebhookEndpointDeleted', { endpoint_id: 'endpoint-1' }),
  ],
  late: [
    v1('LateMoneyReceived', { ...late, currency: 'RUB', leg }),
    v2('LateMoneyReceived', { ...late, currency: 'RUB', leg, report_version: 5 }),
    withProviderLegId(v1, {
      type: 'LateMoneyReceived',
      data: { ...late, currency: 'RUB', leg: { ...leg, leg_id: '1:x' } },
      own: { provider_leg_id: 'x' },
    }),
    withProviderLegId(v2, {
      type: 'LateMoneyReceived',
      data: { ...late, currency: 'RUB', leg: { ...leg, leg_id: '1:x' }, report_version: 5 },
      own: { provider_leg_id: 'x' },
    }),
    v2('LateMoneyReceived', { ...late, currency: 'RUB', leg: { ...leg, leg_id: '2:x' } }),
    v3('LateMoneyReceived', { ...late, currency: 'RUB', leg: { ...leg, leg_id: '1:x' } }),
    v3('LateMoneyReceived', {
      ...late,
      currency: 'RUB',
      leg: { ...leg, leg_id: '2:leg-1' },
      provider_leg_id: leg.leg_id,
      report_version: 5,
    }),
    v1('MoneyReturned', {
      ...late,
      currency: 'RUB',
      kind: 'returned',
      of_leg_id: leg.leg_id,
      leg: { leg_id: 'leg-1-back', amount: '70.00', completed_at: leg.completed_at },
      beyond: '10.00',
      report_version: 7,
    }),
    withProviderLegId(v1, {
      type: 'MoneyReturned',
      data: {
        ...late,
        currency: 'RUB',
        kind: 'charged_back',
        of_leg_id: '1:x',
        leg: { leg_id: '1:r', amount: '5.00', completed_at: leg.completed_at },
      },
      own: { provider_leg_id: 'r', of_leg_id: 'x', or_of_leg_id: '1:x' },
    }),
    v2('MoneyReturned', {
      ...late,
      currency: 'RUB',
      kind: 'returned',
      of_leg_id: leg.leg_id,
      leg: { leg_id: '2:leg-1-back', amount: '70.00', completed_at: leg.completed_at },
      provider_leg_id: 'leg-1-back',
      beyond: '10.00',
      report_version: 7,
    }),
    v3('MoneyReturned', {
      ...late,
      currency: 'RUB',
      kind: 'charged_back',
      of_leg_id: leg.leg_id,
      leg: { leg_id: 'leg-1-back', amount: '30.00', completed_at: leg.completed_at },
      total: '50.00',
    }),
    v1('ApprovedMoneyConfirmed', { ...late, currency: 'RUB', leg, report_version: 5 }),
    withProviderLegId(v1, {
      type: 'ApprovedMoneyConfirmed',
      data: { ...late, currency: 'RUB', leg: { ...leg, leg_id: '1:x' } },
      own: { provider_leg_id: 'x' },
    }),
    v2('ApprovedMoneyConfirmed', {
      ...late,
      currency: 'RUB',
      leg: { ...leg, leg_id: '2:leg-1' },
      provider_leg_id: leg.leg_id,
      report_version: 5,
    }),
    v3('ApprovedMoneyConfirmed', {
      ...late,
      currency: 'RUB',
      leg: { ...leg, leg_id: 'leg-1:corrected-1' },
      provider_leg_id: leg.leg_id,
      corrects: leg.leg_id,
      report_version: 5,
    }),
    v1('PayoutOvercharged', {
      ...late,
      currency: 'USD',
      agreed_amount: '1.25',
      charged_amount: '1.38',
    }),
    v1('LateLegCorrected', {
      ...late,
      currency: 'RUB',
      leg_id: leg.leg_id,
      counted_amount: '60.00',
      reported_amount: '6.00',
      report_version: 6,
    }),
    v2('LateLegCorrected', {
      ...late,
      currency: 'RUB',
      leg_id: 'leg-1-back',
      of_leg_id: leg.leg_id,
      counted_amount: '70.00',
      reported_amount: '0.00',
      report_version: 8,
    }),
    v3('LateLegCorrected', {
      ...late,
      currency: 'RUB',
      leg_id: leg.leg_id,
      counted_amount: '60.00',
      reported_amount: '10.00',
      report_version: 9,
    }),
    withProviderLegId(v3, {
      type: 'LateLegCorrected',
      data: {
        ...late,
        currency: 'RUB',
        leg_id: '1:r',
        of_leg_id: '1:x',
        counted_amount: '5.00',
        reported_amount: '4.00',
        report_version: 9,
      },
      own: { provider_leg_id: 'r', of_leg_id: 'x', or_of_leg_id: '1:x' },
    }),
    v4('LateLegCorrected', {
      ...late,
      currency: 'RUB',
      leg_id: '2:leg-1',
      provider_leg_id: leg.leg_id,
      counted_amount: '60.00',
      reported_amount: '10.00',
      report_version: 9,
    }),
    v1('DifferenceReported', {
      ...late,
      currency: 'RUB',
      of: 'return',
      corrects: '2:r',
      of_leg_id: leg.leg_id,
      provider_leg_id: 'r',
      leg: { leg_id: '2:r:corrected-1', amount: '-4.00', completed_at: leg.completed_at },
      counted_amount: '10.00',
      reported_amount: '6.00',
      report_version: 9,
    }),
    v1('LateStatusReported', {
      ...late,
      reported_status: 'completed',
      operation_status: 'expired',
    }),
    v1('LateStatusAcknowledged', {
      operation_id: late.operation_id,
      shop_id: late.shop_id,
      entry_id: '6f1d5b1e-0000-8000-8000-0000000000cc',
      note: 'the provider was told',
    }),
  ],
  directory: [
    v1('SetupChanged', {
      shop_id: 'shop-1',
      shop_revision: 1,
      api_key: { key_id: 'key-1', key_hash: 'cd'.repeat(32) },
    }),
    v1('ProviderSwitchedOff', { provider: 'sandbox', reason: 'it answers nothing since noon' }),
    v1('ProviderSwitchedOn', { provider: 'sandbox', reason: 'it answers again' }),
    v1('ProviderAccountAdded', { ...account, label: 'Second contract', credentials }),
    v1('ProviderAccountCredentialsReplaced', {
      ...account,
      credentials,
      previous_valid_until: '2026-02-01T12:00:00.000Z',
    }),
    v1('ProviderAccountRenamed', { ...account, label: 'Second contract, 2026' }),
    v1('ProviderAccountSwitchedOff', { ...account, reason: 'its limit is used up' }),
    v1('ProviderAccountSwitchedOn', { ...account, reason: 'a new month' }),
    v1('ProviderAccountRemoved', { ...account, reason: 'the contract has ended' }),
  ],
  provider: [
    v1('ProviderBreakerOpened', { provider: 'sandbox', calls: 25, unknown: 22 }),
    v1('ProviderBreakerClosed', { provider: 'sandbox' }),
    v2('ProviderBreakerOpened', { provider: 'sandbox', type: 'payout', calls: 25, unknown: 22 }),
    v2('ProviderBreakerClosed', { provider: 'sandbox', type: 'payout' }),
    v3('ProviderBreakerOpened', { ...account, type: 'payout', calls: 25, unknown: 22 }),
    v3('ProviderBreakerClosed', { ...account, type: 'payout' }),
  ],
  webhook_command: [
    v1('WebhookPingRequested', { shop_id: 'shop-1' }),
    v1('WebhookRedeliveryRequested', { shop_id: 'shop-1', message_id: 'message-1' }),
    v1('WebhookRedeliveriesRequested', {
      shop_id: 'shop-1',
      status: 'exhausted',
      from: '2026-01-31T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
      operation_id: late.operation_id,
      cursor: 'cursor-1',
    }),
    v2('WebhookRedeliveriesRequested', {
      shop_id: 'shop-1',
      status: 'delivered',
      endpoint_id: 'endpoint-1',
      type: 'payment.completed',
    }),
  ],
  key_use: [
    v1('ApiKeyUsed', {
      key_id: '6f1d5b1e-0000-4000-8000-0000000000ee',
      used_at: '2026-01-31T12:00:00.000Z',
    }),
  ],
  operator: [
    v1('AdminTokenIssued', {
      token_id: '6f1d5b1e-0000-4000-8000-0000000000dd',
      token_hash: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
      name: 'Ольга',
      role: 'operator',
      hint: 'x9Qz',
      expires_at: '2026-07-31T12:00:00.000Z',
    }),
    v1('AdminTokenRevoked', { token_id: '6f1d5b1e-0000-4000-8000-0000000000dd' }),
  ],
  member: [
    v1('MemberAdded', {
      ...memberId,
      name: 'Вера',
      role: 'viewer',
    }),
    v1('MemberLinkIssued', {
      ...memberId,
      link_hash: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
      expires_at: '2026-01-31T13:00:00.000Z',
    }),
    v1('MemberSignedIn', {
      ...memberId,
      link_hash: '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069',
    }),
    v1('MemberRemoved', memberId),
  ],
  adjustment: [
    v1('AdjustmentRequested', {
      ...entry,
      adjustment_id: 'invoice-7',
      amount: '-100.00',
      reason: 'withdrawal',
    }),
    v2('AdjustmentRequested', {
      ...entry,
      adjustment_id: 'invoice-8',
      amount: '-100.00',
      reason: 'withdrawal',
    }),
    v1('AdjustmentPosted', { revision: 4 }),
  ],
  ledger: [
    v1('EntryPosted', {
      ...entry,
      kind: 'credit',
      operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
      legs: [
        { account: 'provider', amount: '-100.00' },
        { account: 'balance', amount: '97.50' },
        { account: 'commission', amount: '2.50' },
      ],
      balance_after: '97.50',
      reserved_after: '0.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'reserve',
      ...reservation,
      legs: [
        { account: 'balance', amount: '-51.00' },
        { account: 'reserved', amount: '51.00' },
      ],
      balance_after: '46.50',
      reserved_after: '51.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'capture',
      ...reservation,
      legs: [
        { account: 'reserved', amount: '-51.00' },
        { account: 'provider', amount: '30.00' },
        { account: 'commission', amount: '0.60' },
        { account: 'balance', amount: '20.40' },
      ],
      balance_after: '66.90',
      reserved_after: '0.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'release',
      ...reservation,
      reservation: 2,
      legs: [],
      balance_after: '66.90',
      reserved_after: '0.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'adjustment',
      adjustment_id: 'invoice-7',
      reason: 'withdrawal',
      legs: [
        { account: 'balance', amount: '-100.00' },
        { account: 'external', amount: '100.00' },
      ],
      balance_after: '-33.10',
      reserved_after: '0.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'suspense',
      operation_id: late.operation_id,
      leg_id: 'leg-1',
      legs: [
        { account: 'provider', amount: '-60.00' },
        { account: 'suspense', amount: '60.00' },
      ],
      balance_after: '-33.10',
      reserved_after: '0.00',
    }),
    v1('EntryPosted', {
      ...entry,
      kind: 'resolution',
      operation_id: late.operation_id,
      leg_id: 'leg-1',
      resolution: 'credit_shop',
      note: 'agreed with the shop',
      legs: [
        { account: 'suspense', amount: '-60.00' },
        { account: 'balance', amount: '60.00' },
      ],
      balance_after: '26.90',
      reserved_after: '0.00',
    }),
    v2('EntryPosted', {
      ...entry,
      kind: 'credit',
      operation_id: '6f1d5b1e-0000-8000-8000-000000000001',
      cause: 'OperationCompleted',
      provider: 'sandbox',
      source: { amount: '10000.00', currency: 'USDT', fx_rate: '0.010000' },
      legs: [
        { account: 'provider', amount: '-100.00' },
        { account: 'balance', amount: '97.50' },
        { account: 'commission', amount: '2.50' },
      ],
      balance_after: '124.40',
      reserved_after: '0.00',
    }),
    v3('EntryPosted', {
      ...entry,
      kind: 'suspense',
      operation_id: late.operation_id,
      leg_id: 'leg-1-back',
      of_leg_id: 'leg-1',
      cause: 'MoneyReturned',
      provider: 'sandbox',
      legs: [
        { account: 'provider', amount: '-60.00' },
        { account: 'suspense', amount: '60.00' },
      ],
      balance_after: '-33.10',
      reserved_after: '0.00',
    }),
    v4('EntryPosted', {
      ...entry,
      kind: 'adjustment',
      adjustment_id: 'invoice-8',
      reason: 'withdrawal',
      cause: 'AdjustmentRequested',
      legs: [
        { account: 'balance', amount: '-100.00' },
        { account: 'external', amount: '100.00' },
      ],
      balance_after: '-133.10',
      reserved_after: '0.00',
    }),
  ],
  evidence: [
    v1('EvidenceMaterialised', {
      operation_id: late.operation_id,
      shop_id: late.shop_id,
      status: 'partial',
      items: [
        {
          receipt_id: '6f1d5b1e-0000-8000-8000-0000000000aa',
          leg_id: 'leg-1',
          attempt: 1,
          provider: 'sandbox',
          amount: '60.00',
          completed_at: '2026-01-31T12:00:05.000Z',
          file: true,
          synthetic: false,
        },
        {
          receipt_id: '6f1d5b1e-0000-8000-8000-0000000000bb',
          leg_id: 'review-1',
          attempt: 1,
          provider: 'sandbox',
          amount: '40.00',
          completed_at: '2026-01-31T12:01:00.000Z',
          file: false,
          synthetic: true,
        },
      ],
    }),
  ],
  statement: [
    v1('StatementLinesRead', {
      ...statement,
      import: 1,
      lines: [
        {
          line: 1,
          kind: 'transfer',
          direction: 'in',
          leg_id: leg.leg_id,
          operation_id: late.operation_id,
          attempt: 1,
          amount: '60.00',
          completed_at: leg.completed_at,
        },
        {
          line: 2,
          kind: 'chargeback',
          direction: 'out',
          leg_id: 'chargeback-1',
          of_leg_id: leg.leg_id,
          amount: '60.00',
          completed_at: '2026-01-31T18:00:00.000Z',
        },
      ],
    }),
    v1('StatementImported', {
      ...statement,
      import: 1,
      source: 'provider',
      lines: 2,
      total_in: '60.00',
      total_out: '60.00',
      opening_balance: '-10.00',
      closing_balance: '-10.00',
      digest: sha256,
    }),
    v1('StatementFindingClosed', {
      ...statement,
      finding_id: 'return_not_reported:chargeback-1:2',
      finding: 'return_not_reported',
      decision: 'provider_error',
      note: 'the provider was asked to report it',
    }),
    v2('StatementFindingClosed', {
      ...statement,
      finding_id: `amount_differs:${leg.leg_id}`,
      finding: 'amount_differs',
      decision: 'explained',
      note: 'the fee was taken off',
      amount: '59.00',
      counted: '60.00',
    }),
  ],
  payout_batch: [
    v1('PayoutBatchRowsStored', {
      ...payoutBatch,
      rows: [
        {
          merchant_operation_id: 'order-1',
          client_id: 'client-1',
          method: 'WT_RUB_C2C',
          amount: '100.00',
          currency: 'RUB',
          sealed: 'v1.key.nonce.encrypted',
        },
      ],
    }),
    v1('PayoutBatchChecked', {
      ...payoutBatch,
      rows: 2,
      total: { RUB: '100.00' },
      errors: [{ row: 2, pointer: '/amount', code: 'amount_invalid' }],
    }),
    v2('PayoutBatchChecked', {
      ...payoutBatch,
      rows: 1,
      total: { RUB: '100.00' },
      errors: [],
      sealed_file: 'v1.key.nonce.encrypted',
    }),
    v3('PayoutBatchChecked', {
      ...payoutBatch,
      rows: 1,
      total: {},
      errors: [{ row: 1, pointer: '/amount', code: 'amount_invalid', cell: 'D2' }],
      sealed_file: 'v1.key.nonce.encrypted',
    }),
    v4('PayoutBatchChecked', {
      ...payoutBatch,
      rows: 1,
      total: {},
      errors: [
        {
          row: 1,
          pointer: '/merchant_operation_id',
          code: 'operation_exists',
          cell: 'A2',
          operation_id: 'operation-1',
        },
      ],
      sealed_file: 'v1.key.nonce.encrypted',
    }),
    v1('PayoutBatchConfirmed', payoutBatch),
    v1('PayoutBatchRowsCreated', {
      ...payoutBatch,
      results: [
        { merchant_operation_id: 'order-1', operation_id: 'operation-1' },
        {
          merchant_operation_id: 'order-2',
          operation_id: 'operation-2',
          code: 'insufficient_funds',
        },
      ],
    }),
    v1('PayoutBatchFinished', payoutBatch),
  ],
  checkpoint: [
    { ...v1('CheckpointSigned', signedRoot), read: { ...signedRoot, currency: null } },
    v2('CheckpointSigned', { ...signedRoot, currency: 'RUB' }),
  ],
  checkpoint_request: [
    v1('CheckpointRequested', {
      shop_id: late.shop_id,
      currency: 'RUB',
      covers: '2026-02-01T00:00:00.000Z',
    }),
  ],
  checkpoint_key: [
    v1('CheckpointKeyAdded', {
      key_id: '0123456789abcdef',
      x: 'A'.repeat(43),
      valid_from: '2026-01-01T00:00:00.000Z',
    }),
    v1('CheckpointKeyRetired', {
      key_id: '0123456789abcdef',
      valid_until: '2026-02-01T00:00:00.000Z',
    }),
  ],
  log: [
    v1('LogClosed', { to: 'db-1:2113' }),
    v1('LogReopened', { reason: 'stopped' }),
    v1('LogMoved', { from: '127.0.0.1:40001', events: 100, digest: '0'.repeat(64) }),
    v1('LogKeyBegan', { key_id: '0a1b2c3d' }),
    v1('LogKeyRequired', { key_id: '0a1b2c3d' }),
  ],
  audit: [
    v1('AuditRan', auditRan),
    v1('AuditFailed', {
      started_at: '2026-01-31T03:15:00.000Z',
      seconds: 10,
      reason: 'the event store can not be reached',
    }),
    v2('AuditRan', {
      ...auditRan,
      open_operations: 3,
      money: [
        {
          currency: 'RUB',
          in: '100.00',
          out: '0.00',
          balance: '95.00',
          reserved: '0.00',
          commission: '5.00',
          provider: '-100.00',
          suspense: '0.00',
          external: '0.00',
        },
      ],
      callbacks: { stored: 9, verified: 8, failed: 1 },
    }),
    v3('AuditRan', { ...auditRan, signed_from: '42' }),
  ],
} as const satisfies Record<string, readonly StoredExample[]>;
