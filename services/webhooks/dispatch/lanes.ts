/**
 * One lane a shop: what its endpoint is trusted with. A lane has its own width, so that an endpoint that is slow or
 * dead delays only its own, and lanes that are not known to be quick share a budget that the quick ones never wait for.
 */
export type Lane = {
  readonly shopId: string;
  /** Attempts that may be under way at once. */
  width: number;
  /** When each attempt under way began, by its message. */
  readonly underWay: Map<string, number>;
  /** The last attempt succeeded, and in a short time. */
  quick: boolean;
  /** When something is due; infinity when nothing is known to be. */
  dueAtMs: number;
  /** Nothing is claimed before: the endpoint is disabled, or not known. */
  heldUntilMs: number;
  /** Counts the calls to look, so that a look that began before the last is not believed. */
  wakes: number;
};

export const laneLimits = {
  firstWidth: 2,
  maxWidth: 64,
  /** Attempts under way in all quick lanes, and as many in all others. */
  classBudget: 512,
  total: 2_048,
  /** What takes longer is slow. */
  quickMs: 1_000,
  /** Lanes asked for at once. */
  maxDemand: 256,
};
export type LaneLimits = typeof laneLimits;

export function newLane(shopId: string): Lane {
  return {
    shopId,
    width: laneLimits.firstWidth,
    underWay: new Map(),
    quick: false,
    dueAtMs: Number.POSITIVE_INFINITY,
    heldUntilMs: Number.NEGATIVE_INFINITY,
    wakes: 0,
  };
}

export type Demand = { lane: Lane; limit: number };

/** How many messages to claim for which lane now: a share for each before a second share for any. */
export function demand(lanes: Iterable<Lane>, nowMs: number, limits: LaneLimits = laneLimits): Demand[] {
  const under = { quick: 0, other: 0 };
  const ready: { quick: Lane[]; other: Lane[] } = { quick: [], other: [] };
  for (const lane of lanes) {
    const kind = isQuick(lane, nowMs, limits) ? 'quick' : 'other';
    under[kind] += lane.underWay.size;
    if (lane.dueAtMs <= nowMs && lane.heldUntilMs <= nowMs && lane.underWay.size < lane.width) {
      ready[kind].push(lane);
    }
  }
  let free = Math.max(0, limits.total - under.quick - under.other);
  const claims: Demand[] = [];
  for (const kind of ['quick', 'other'] as const) {
    const budget = Math.min(free, limits.classBudget - under[kind]);
    const shared = share(ready[kind].slice(0, limits.maxDemand), budget);
    claims.push(...shared);
    free -= shared.reduce((sum, { limit }) => sum + limit, 0);
  }
  return claims;
}

/** An attempt that has lasted long says as much as a failed one, while it still lasts. */
function isQuick(lane: Lane, nowMs: number, { quickMs }: LaneLimits): boolean {
  if (!lane.quick) return false;
  const [oldest] = lane.underWay.values();
  return oldest === undefined || nowMs - oldest <= quickMs;
}

/** Deals a budget out, the least occupied lanes first, in equal shares as far as their widths allow. */
function share(lanes: readonly Lane[], budget: number): Demand[] {
  const order = lanes.toSorted((left, right) => left.underWay.size - right.underWay.size);
  let left = budget;
  const dealt: Demand[] = [];
  for (const [index, lane] of order.entries()) {
    if (left <= 0) break;
    const fair = Math.max(1, Math.floor(left / (order.length - index)));
    const limit = Math.min(fair, lane.width - lane.underWay.size);
    dealt.push({ lane, limit });
    left -= limit;
  }
  return dealt;
}

/** Widens a lane with every quick success, halves it with every failure. */
export function learn(
  lane: Lane,
  attempt: { success: boolean; durationMs: number },
  limits: LaneLimits = laneLimits,
): void {
  lane.quick = attempt.success && attempt.durationMs <= limits.quickMs;
  if (lane.quick) lane.width = Math.min(limits.maxWidth, lane.width + 1);
  else if (!attempt.success) lane.width = Math.max(1, Math.floor(lane.width / 2));
}
