import { sandboxRoute } from '#infra/verify/harness/shops/operator.ts';

/** How the operations of a slot end. */
type End =
  /** The provider, by itself, or a deadline. */
  | 'itself'
  /** A command to the provider. */
  | 'settle'
  /** A receipt, and who reviews it. */
  | 'receipt'
  /** A transfer to the gateway's account with the bank. */
  | 'transfer';

export type RouteSlot = {
  readonly type: 'payment' | 'payout';
  readonly method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  readonly end: End;
  /** Tried in this order; as in `PUT /admin/v1/shops/{shop_id}/routes` (R16.6). */
  readonly routes: readonly object[];
};

/** A shop, by what its providers do. */
type Scenario = {
  readonly name: string;
  readonly settings: object;
  readonly slots: readonly [RouteSlot, ...RouteSlot[]];
};

const route = (options: object, more: object = {}) => ({ options, ...more });
const byBank = (options: object = {}) => ({ provider: 'bank', options });
const converted = { conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } };
const c2c = { method: 'WT_RUB_C2C' } as const;
const phone = { method: 'WT_RUB_PHONE' } as const;

export const chaosScenarios: readonly [Scenario, ...Scenario[]] = [
  {
    name: 'obliging',
    settings: {},
    slots: [
      { type: 'payment', ...c2c, end: 'itself', routes: [route({ autopilot_ms: 700 })] },
      {
        type: 'payment',
        ...phone,
        end: 'receipt',
        routes: [route({ review: 'approve' }, { requires_receipt: true })],
      },
      {
        type: 'payout',
        ...c2c,
        end: 'itself',
        routes: [route({ accept_delay_ms: 50, autopilot_ms: 500 })],
      },
      { type: 'payout', ...phone, end: 'settle', routes: [route({ evidence: 'partial' })] },
    ],
  },
  {
    name: 'cascading',
    settings: {},
    slots: [
      {
        type: 'payment',
        ...c2c,
        end: 'itself',
        routes: [
          route({ accept: 'error' }),
          route({ accept_delay_ms: 200, autopilot_ms: 500, duplicate_callbacks: 2 }),
        ],
      },
      {
        type: 'payment',
        ...phone,
        end: 'settle',
        routes: [
          route({ accept: 'hang' }),
          route({ accept_delay_ms: 100, reorder_callbacks: true }),
        ],
      },
      {
        type: 'payout',
        ...c2c,
        end: 'itself',
        routes: [
          route({ accept: 'decline' }),
          route({ autopilot_ms: 400, duplicate_callbacks: 1, reorder_callbacks: true }),
        ],
      },
      {
        type: 'payout',
        ...phone,
        end: 'itself',
        routes: [route({ accept: 'error', autopilot_ms: 1_500 })],
      },
    ],
  },
  {
    name: 'strict',
    settings: { overdraft_limits: { RUB: '0.00' } },
    slots: [
      { type: 'payment', ...c2c, end: 'itself', routes: [route({ expires_in_s: 2 })] },
      {
        type: 'payment',
        ...phone,
        end: 'receipt',
        routes: [route({ review: 'manual' }, { requires_receipt: true })],
      },
      { type: 'payout', ...c2c, end: 'itself', routes: [route({ accept: 'decline' })] },
      { type: 'payout', ...phone, end: 'itself', routes: [route({ autopilot_ms: 300 })] },
    ],
  },
  {
    name: 'converting',
    settings: {},
    slots: [
      {
        type: 'payment',
        ...c2c,
        end: 'settle',
        routes: [route({ fx_rate: '0.012500' }, converted)],
      },
      // No route at all.
      { type: 'payment', ...phone, end: 'itself', routes: [] },
      {
        type: 'payout',
        ...c2c,
        end: 'itself',
        routes: [route({ fx_rate: '0.013100', autopilot_ms: 300 }, converted)],
      },
      { type: 'payout', ...phone, end: 'settle', routes: [route({ accept: 'hang' })] },
    ],
  },
  {
    name: 'by the bank',
    settings: {},
    slots: [
      { type: 'payment', ...c2c, end: 'transfer', routes: [byBank({ payable_s: 15 })] },
      { type: 'payment', ...phone, end: 'itself', routes: [byBank({ payable_s: 2 })] },
      { type: 'payout', ...c2c, end: 'itself', routes: [byBank()] },
      { type: 'payout', ...phone, end: 'itself', routes: [byBank(), route({ autopilot_ms: 400 })] },
    ],
  },
];

/**
 * The faults of orders at the bank, each in at most one of ten: no answer, no order, a late order,
 * a refusal.
 */
export const bankBehaviour = {
  slow_ms: 30,
  book_ms: 500,
  lose_replies: 0.1,
  lose_requests: 0.05,
  late: 0.05,
  late_ms: 4_000,
  lose_reads: 0.05,
  reject: 0.1,
  duplicate_lines: 0.1,
};

/** The routes of a scenario, as they are set. */
export const scenarioRoutes = ({ slots }: Scenario): object[] =>
  slots.flatMap(({ type, method, routes }) =>
    routes.map((each, index) =>
      sandboxRoute({
        type,
        method,
        priority: index + 1,
        commission: { percent: '2.50', fixed: '0.10' },
        ...each,
      }),
    ),
  );
