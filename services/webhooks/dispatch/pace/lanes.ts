import type { ClaimedMessage } from '../../claim.ts';

/**
 * One lane for each endpoint: how many attempts it may have at once. A lane has its own
 * width, so that a slow or dead endpoint delays only its own messages. Lanes that are not quick
 * share a budget, so that they can't delay quick ones.
 */
export type Lane = {
  readonly endpointId: string;
  readonly shopId: string;
  /** Attempts that may be in progress at once, not counting stuck ones. */
  width: number;
  /** When each attempt in progress began, by message; the oldest first. */
  readonly underWay: Map<string, number>;
  /** Claimed ahead, in the order of sending; only if the endpoint is quick. */
  readonly claimed: ClaimedMessage[];
  /** Attempts that have begun and whose outcome is not written yet. */
  unwritten: number;
  /** The last attempt succeeded quickly. */
  quick: boolean;
  /** When the next message is due; infinity if none is known. */
  dueAtMs: number;
  /** Until then nothing is claimed or sent: the endpoint is disabled, or not known. */
  heldUntilMs: number;
  /**
   * Counts notifications, so that the result of a query that began before the newest one is not
   * trusted.
   */
  wakes: number;
};

export const laneLimits = {
  firstWidth: 2,
  maxWidth: 64,
  /** How many times its width a quick lane may claim ahead, and have unwritten. */
  ahead: 2,
  unwritten: 2,
  /**
   * Limits of attempts in progress and claimed ahead: in quick lanes, in lanes with a stuck
   * attempt, in others, in all.
   */
  budget: { quick: 512, other: 512, stuck: 1_024 },
  total: 2_048,
  /** Attempts that take longer are slow. */
  quickMs: 1_000,
  /** Lanes in one query. */
  maxDemand: 256,
};
type LaneLimits = typeof laneLimits;

export function newLane({ endpointId, shopId }: Pick<Lane, 'endpointId' | 'shopId'>): Lane {
  return {
    endpointId,
    shopId,
    width: laneLimits.firstWidth,
    underWay: new Map(),
    claimed: [],
    unwritten: 0,
    quick: false,
    dueAtMs: Number.POSITIVE_INFINITY,
    heldUntilMs: Number.NEGATIVE_INFINITY,
    wakes: 0,
  };
}

export type Demand = { lane: Lane; limit: number };

/** Whether a lane has due messages that may be claimed now. */
const isDue = (lane: Lane, nowMs: number): boolean => lane.dueAtMs <= nowMs;

/**
 * How many messages to claim for each lane now: each lane gets one share before any gets a second
 * one. `wanted`: which lanes claim messages.
 */
export function demand(
  lanes: Iterable<Lane>,
  nowMs: number,
  limits: LaneLimits = laneLimits,
  wanted = isDue,
): Demand[] {
  const held: Record<Kind, number> = { quick: 0, other: 0, stuck: 0 };
  const ready: Record<Kind, Lane[]> = { quick: [], other: [], stuck: [] };
  for (const lane of lanes) {
    const kind = classifyLane(lane, nowMs, limits);
    held[kind] += heldBy(lane);
    if (wanted(lane, nowMs) && lane.heldUntilMs <= nowMs && wantsMore(lane, nowMs, limits)) {
      ready[kind].push(lane);
    }
  }
  let free = Math.max(0, limits.total - held.quick - held.other - held.stuck);
  const claims: Demand[] = [];
  for (const kind of ['quick', 'other', 'stuck'] as const) {
    const budget = Math.min(free, limits.budget[kind] - held[kind]);
    const capacity = (lane: Lane) => laneCapacity(lane, nowMs, limits);
    const shared = share(ready[kind].slice(0, limits.maxDemand), budget, capacity);
    claims.push(...shared);
    free -= shared.reduce((sum, { limit }) => sum + limit, 0);
  }
  return claims;
}

/**
 * Whether a lane should claim: a quick one ahead of time, any other only when it could send at
 * once.
 */
export function wantsMore(lane: Lane, nowMs: number, limits: LaneLimits = laneLimits): boolean {
  return lane.claimed.length <= lane.width / 2 && laneCapacity(lane, nowMs, limits) > 0;
}

/** Whether the next claimed message may be sent. */
export function maySend(lane: Lane, nowMs: number, limits: LaneLimits = laneLimits): boolean {
  const stuck = stuckIn(lane, nowMs, limits);
  return (
    lane.claimed.length > 0 &&
    lane.heldUntilMs <= nowMs &&
    lane.underWay.size < limits.maxWidth &&
    lane.underWay.size - stuck < lane.width &&
    lane.unwritten - stuck < limits.unwritten * lane.width
  );
}

/** An attempt that takes long counts as a failed one, even before it ends. */
function isQuick(lane: Lane, nowMs: number, limits: LaneLimits = laneLimits): boolean {
  return lane.quick && !isStuck(lane, nowMs, limits);
}

/** An attempt takes long. */
export function isStuck(lane: Lane, nowMs: number, { quickMs }: LaneLimits = laneLimits): boolean {
  const [oldest] = lane.underWay.values();
  return oldest !== undefined && nowMs - oldest > quickMs;
}

/** When the next attempt in progress counts as stuck, which frees capacity in the lane. */
export function nextStuckMs(
  lane: Lane,
  nowMs: number,
  { quickMs }: LaneLimits = laneLimits,
): number {
  for (const beganMs of lane.underWay.values()) {
    // Past the limit, not at it.
    if (nowMs - beganMs <= quickMs) return beganMs + quickMs + 1;
  }
  return Number.POSITIVE_INFINITY;
}

type Kind = 'quick' | 'other' | 'stuck';

/** Stuck lanes have a budget of their own, so that a new lane does not wait for them. */
function classifyLane(lane: Lane, nowMs: number, limits: LaneLimits): Kind {
  if (isStuck(lane, nowMs, limits)) return 'stuck';
  return lane.quick ? 'quick' : 'other';
}

const heldBy = (lane: Lane): number => lane.underWay.size + lane.claimed.length;

/** Stuck attempts: they don't count against the others of their lane. */
function stuckIn(lane: Lane, nowMs: number, { quickMs }: LaneLimits): number {
  let count = 0;
  for (const beganMs of lane.underWay.values()) {
    if (nowMs - beganMs <= quickMs) break;
    count += 1;
  }
  return count;
}

/**
 * How many more messages the lane may hold: its width, and more ahead if it is quick; never more
 * sockets than the widest lane.
 */
function laneCapacity(lane: Lane, nowMs: number, limits: LaneLimits): number {
  const shares = isQuick(lane, nowMs, limits) ? 1 + limits.ahead : 1;
  const stuck = stuckIn(lane, nowMs, limits);
  const most = Math.min(lane.width * shares + stuck, limits.maxWidth * shares);
  return most - heldBy(lane);
}

/** Divides a budget in equal shares up to each lane's capacity, the least occupied lanes first. */
function share(lanes: readonly Lane[], budget: number, capacity: (lane: Lane) => number): Demand[] {
  const order = lanes.toSorted((left, right) => heldBy(left) - heldBy(right));
  let left = budget;
  const dealt: Demand[] = [];
  for (const [index, lane] of order.entries()) {
    if (left <= 0) break;
    const fair = Math.max(1, Math.floor(left / (order.length - index)));
    const limit = Math.min(fair, capacity(lane));
    dealt.push({ lane, limit });
    left -= limit;
  }
  return dealt;
}

/** Widens a lane with every quick success, halves it with every failure. */
export function adjustConcurrency(
  lane: Lane,
  attempt: { success: boolean; durationMs: number },
  limits: LaneLimits = laneLimits,
): void {
  lane.quick = attempt.success && attempt.durationMs <= limits.quickMs;
  if (lane.quick) lane.width = Math.min(limits.maxWidth, lane.width + 1);
  else if (!attempt.success) lane.width = Math.max(1, Math.floor(lane.width / 2));
}
