import type { MemberDecision, MemberRefusal } from '#shared/domain/member/decide.ts';
import {
  decodeMemberEvent,
  membersStream,
  type MemberEvent,
} from '#shared/domain/member/events.ts';
import {
  evolveMembers,
  foldMembers,
  noMembers,
  type Members,
} from '#shared/domain/member/members.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { LRUCache } from 'lru-cache';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { EventStore, StreamFold, StoredEvent } from '#shared/platform/event-store/index.ts';
import { Problem, type ProblemCode } from '#shared/platform/http/problems.ts';

/** How a shop's stream of members is read. */
const memberFolding: StreamFold<Members, MemberEvent> = {
  initial: noMembers,
  decode: decodeMemberEvent,
  evolve: (state, event, stored) => evolveMembers(state, event, toEventInfo(stored)),
};

const toEventInfo = ({ created, metadata: { actor, link_issuers } }: StoredEvent) => ({
  createdIso: created.toISOString(),
  actor,
  ...(link_issuers && { linkIssuers: link_issuers }),
});

type Change = {
  shopId: string;
  origin: Origin;
  decide(state: Members): MemberDecision;
  /** The members as just read; without it they are read first. */
  fromState?: Members;
};

/** The members of shops. Each @throws Problem not_ready while the log can't be read. */
export type MemberList = {
  /**
   * The members in the log now: a removed member is refused from the next request on, on every
   * instance.
   */
  of(shopId: string): Promise<Members>;
  /**
   * @throws Problem forbidden, not_found, too_many_members, too_many_links; not_ready if it should
   *   be repeated
   */
  change(change: Change): Promise<void>;
  /** The same where a refusal is an expected result. @throws Problem not_ready */
  decide(change: Change): Promise<MemberRefusal | undefined>;
};

/** The members of N shops are cached; the streams of the others are read from the start. */
export const maxShops = 200;

export function createMemberList(store: EventStore): MemberList {
  const cache = new LRUCache<string, Members>({ max: maxShops });

  const remember = (shopId: string, members: Members): void => {
    // A caller may name a shop that doesn't exist, which must not evict another one.
    if (members.revision < 0) return;
    // Another request may have read further in between.
    if (members.revision >= (cache.get(shopId)?.revision ?? -1)) cache.set(shopId, members);
  };

  const of = async (shopId: string): Promise<Members> => {
    const cached = cache.get(shopId) ?? noMembers;
    const stream = membersStream(shopId);
    const events = await fromStore(store.read(stream, { fromRevision: cached.revision + 1 }));
    const members = foldMembers(
      cached,
      events.map((stored) => ({ event: decodeMemberEvent(stored), ...toEventInfo(stored) })),
    );
    remember(shopId, members);
    return members;
  };

  const decide = async ({ shopId, origin, decide: decideOn, fromState }: Change) => {
    const target = {
      store,
      stream: membersStream(shopId),
      folding: memberFolding,
      fromState: fromState ?? (await of(shopId)),
      origin,
    };
    const result = await decideAndAppend(target, decideOn);
    if (result.outcome === 'undecided') throw notDecided(result.cause);
    return result.outcome === 'refused' ? result.refusal : undefined;
  };

  return {
    of,
    decide,
    change: async (change) => {
      const refusal = await decide(change);
      if (refusal !== undefined) throw toMemberProblem(refusal);
    },
  };
}

const toMemberProblem = (refusal: MemberRefusal): Problem => new Problem(codes[refusal]);

const codes = {
  not_found: 'not_found',
  forbidden: 'forbidden',
  too_many: 'too_many_members',
  too_many_links: 'too_many_links',
  link_invalid: 'not_found',
} as const satisfies Record<MemberRefusal, ProblemCode>;
