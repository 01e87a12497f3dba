import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { chaosScenarios, type RouteSlot } from './scenarios.ts';

type When = 'before' | 'with' | 'after';

/** The course of one operation, as far as its merchant, its provider and an operator decide it. */
export type Story = {
  readonly key: string;
  /** Of `chaosScenarios`. */
  readonly shop: number;
  readonly slot: RouteSlot;
  readonly amount: string;
  /** The same create, at once. */
  readonly creates: number;
  readonly link: boolean;
  /** A create of the same key with another amount. */
  readonly clash: boolean;
  readonly cancel: When | undefined;
  /** The same cancel, at once. */
  readonly cancels: number;
  readonly byKey: boolean;
  /** Reads while the create is under way. */
  readonly reads: number;
  /** Milliseconds between a create and a concurrent cancel. */
  readonly cancelAfterMs: number;
  readonly settle: { readonly command: 'settle' | 'leg'; readonly body: object };
  readonly receipt: { readonly pdf: boolean; readonly times: number };
  /**
   * The provider's decision on a receipt, and an operator's on one that the provider could not
   * decide.
   */
  readonly review: object;
  readonly decision: object;
  /** Money that comes after the end. */
  readonly late: boolean;
  /** Nothing ever ends it. */
  readonly open: boolean;
  readonly pauseMs: number;
};

/** The story with this number of this seed, independent of those before it. */
export function tellStory(seed: number, number: number): Story {
  const random = createRandom((seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0);
  const shop = random.below(chaosScenarios.length);
  const slot = random.pick((chaosScenarios[shop] ?? chaosScenarios[0]).slots);
  const payment = slot.type === 'payment';
  // Operations at the bank end by themselves, sooner or later.
  const waits = slot.end === 'settle' || slot.end === 'receipt';
  const amount = random.pick(['10.00', '100.00', '99.98', '1000.00', '0.37']);
  return {
    key: `story-${number}`,
    shop,
    slot,
    amount,
    creates: random.pick([1, 1, 1, 2, 3]),
    link: payment && random.chance(0.4),
    clash: random.chance(0.15),
    cancel: random.chance(payment ? 0.35 : 0.08)
      ? random.pick(['before', 'with', 'with', 'after'])
      : undefined,
    cancels: random.pick([1, 1, 2]),
    byKey: random.chance(0.6),
    reads: random.below(3),
    cancelAfterMs: random.below(400),
    settle: random.pick([
      { command: 'settle', body: { result: 'completed' } },
      { command: 'settle', body: { result: 'completed' } },
      { command: 'settle', body: { result: 'partial', legs: [{ amount: '0.20' }] } },
      { command: 'settle', body: { result: 'declined' } },
      { command: 'leg', body: { amount: '0.10' } },
    ]),
    receipt: { pdf: random.chance(0.8), times: random.pick([1, 1, 2]) },
    review: random.pick([
      { result: 'approve' },
      { result: 'approve', actual_amount: '0.30' },
      { result: 'decline' },
      { result: 'potential_fake' },
      { result: 'flagged' },
    ]),
    decision: random.pick([
      { decision: 'approve', actual_amount: amount, note: 'seen on the account' },
      { decision: 'approve', actual_amount: '0.25', note: 'less was seen' },
      { decision: 'decline', note: 'never came' },
    ]),
    late: random.chance(0.05),
    open: waits && random.chance(0.06),
    pauseMs: random.below(300),
  };
}
