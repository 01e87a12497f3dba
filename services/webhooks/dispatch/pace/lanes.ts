import type { Claimed } from '../queue/claims.ts';

/**
 * One lane a shop: what its endpoint is trusted with. A lane has its own width, so that an endpoint that is slow or
 * dead delays only its own, and lanes that are not known to be quick share a budget that the quick ones never wait for.
 */
export type Lane = {
  readonly shopId: string;
  /** Attempts that may be under way at once, beside those that are stuck. */
  width: number;
  /** When each attempt under way began, by its message; the oldest first. */
  readonly underWay: Map<string, number>;
  /** Claimed ahead, in the order in which they are to be sent; only where the endpoint is quick. */
  readonly claimed: Claimed[];
  /** Attempts that have begun, and are not yet written. */
  unwritten: number;
  /** The last attempt succeeded, and in a short time. */
  quick: boolean;
  /** When something is due; infinity when nothing is known to be. */
  dueAtMs: number;
  /** Nothing is claimed or sent before: the endpoint is disabled, or not known. */
  heldUntilMs: number;
  /** Counts the calls to look, so that a look that began before the last is not believed. */
  wakes: number;
};

export const laneLimits = {
  firstWidth: 2,
  maxWidth: 64,
  /** How many widths a quick lane may claim ahead of what is under way, and have unwritten behind it. */
  ahead: 2,
  unwritten: 2,
  /** Attempts under way and claimed ahead: in all quick lanes, in all with a stuck attempt, in all others, in all. */
  budget: { quick: 512, other: 512, stuck: 1_024 },
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
    claimed: [],
    unwritten: 0,
    quick: false,
    dueAtMs: Number.POSITIVE_INFINITY,
    heldUntilMs: Number.NEGATIVE_INFINITY,
    wakes: 0,
  };
}

export type Demand = { lane: Lane; limit: number };

/** What is due in a lane may be claimed now. */
export const isDue = (lane: Lane, nowMs: number): boolean => lane.dueAtMs <= nowMs;

/**
 * How many messages to claim for which lane now: a share for each before a second share for any. `asks`: which of the
 * lanes want some.
 */
export function demand(
  lanes: Iterable<Lane>,
  nowMs: number,
  limits: LaneLimits = laneLimits,
  asks = isDue,
): Demand[] {
  const held: Record<Kind, number> = { quick: 0, other: 0, stuck: 0 };
  const ready: Record<Kind, Lane[]> = { quick: [], other: [], stuck: [] };
  for (const lane of lanes) {
    const kind = kindOf(lane, nowMs, limits);
    held[kind] += heldBy(lane);
    if (asks(lane, nowMs) && lane.heldUntilMs <= nowMs && wantsMore(lane, nowMs, limits)) {
      ready[kind].push(lane);
    }
  }
  let free = Math.max(0, limits.total - held.quick - held.other - held.stuck);
  const claims: Demand[] = [];
  for (const kind of ['quick', 'other', 'stuck'] as const) {
    const budget = Math.min(free, limits.budget[kind] - held[kind]);
    const room = (lane: Lane) => roomOf(lane, nowMs, limits);
    const shared = share(ready[kind].slice(0, limits.maxDemand), budget, room);
    claims.push(...shared);
    free -= shared.reduce((sum, { limit }) => sum + limit, 0);
  }
  return claims;
}

/** Whether a lane should claim: a quick one before it has sent what it holds, any other when it could send at once. */
export function wantsMore(lane: Lane, nowMs: number, limits: LaneLimits = laneLimits): boolean {
  return lane.claimed.length <= lane.width / 2 && roomOf(lane, nowMs, limits) > 0;
}

/** Whether the next of what is claimed may be sent. */
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

/** An attempt that has lasted long says as much as a failed one, while it still lasts. */
export function isQuick(lane: Lane, nowMs: number, limits: LaneLimits = laneLimits): boolean {
  return lane.quick && !isStuck(lane, nowMs, limits);
}

/** An attempt has lasted long already. */
export function isStuck(lane: Lane, nowMs: number, { quickMs }: LaneLimits = laneLimits): boolean {
  const [oldest] = lane.underWay.values();
  return oldest !== undefined && nowMs - oldest > quickMs;
}

/** When the next of the attempts under way will have lasted long: the lane has room for another then. */
export function nextStuckMs(lane: Lane, nowMs: number, { quickMs }: LaneLimits = laneLimits): number {
  for (const beganMs of lane.underWay.values()) {
    // Past the limit, not at it.
    if (nowMs - beganMs <= quickMs) return beganMs + quickMs + 1;
  }
  return Number.POSITIVE_INFINITY;
}

type Kind = 'quick' | 'other' | 'stuck';

/** A stranger waits neither for those that hang, nor they for it. */
function kindOf(lane: Lane, nowMs: number, limits: LaneLimits): Kind {
  if (isStuck(lane, nowMs, limits)) return 'stuck';
  return lane.quick ? 'quick' : 'other';
}

const heldBy = (lane: Lane): number => lane.underWay.size + lane.claimed.length;

/** Attempts that have lasted long: they don't count against the others of their lane. */
function stuckIn(lane: Lane, nowMs: number, { quickMs }: LaneLimits): number {
  let count = 0;
  for (const beganMs of lane.underWay.values()) {
    if (nowMs - beganMs <= quickMs) break;
    count += 1;
  }
  return count;
}

/** How much more it may hold: its width, and more ahead where it is quick; never more sockets than the widest lane. */
function roomOf(lane: Lane, nowMs: number, limits: LaneLimits): number {
  const shares = isQuick(lane, nowMs, limits) ? 1 + limits.ahead : 1;
  const stuck = stuckIn(lane, nowMs, limits);
  const most = Math.min(lane.width * shares + stuck, limits.maxWidth * shares);
  return most - heldBy(lane);
}

/** Deals a budget out, the least occupied lanes first, in equal shares as far as their room allows. */
function share(lanes: readonly Lane[], budget: number, room: (lane: Lane) => number): Demand[] {
  const order = lanes.toSorted((left, right) => heldBy(left) - heldBy(right));
  let left = budget;
  const dealt: Demand[] = [];
  for (const [index, lane] of order.entries()) {
    if (left <= 0) break;
    const fair = Math.max(1, Math.floor(left / (order.length - index)));
    const limit = Math.min(fair, room(lane));
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
