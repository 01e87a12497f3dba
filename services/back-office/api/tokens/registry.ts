import { createFreshness } from '#shared/application/directory/freshness.ts';
import { setupLeaseMs } from '#shared/application/directory/stream.ts';
import { operators } from '#shared/application/operators/stream.ts';
import { operatorsStream } from '#shared/domain/operator/events.ts';
import {
  isInForce,
  noOperators,
  type IssuedToken,
  type Operators,
} from '#shared/domain/operator/operators.ts';
import { foldStored, type EventStore } from '#shared/platform/event-store/index.ts';
import { hashAdminToken, isAdminToken } from '#shared/application/credentials.ts';

/** The tokens that admins issued, never older than `setupLeaseMs`. */
export type TokenRegistry = {
  /**
   * The token's holder; undefined if it is unknown, expired or revoked.
   * @throws when the log can't be read
   */
  byToken(token: string): Promise<IssuedToken | undefined>;
  /** The token of that id, as `byToken` finds it. @throws when the log can't be read */
  byId(tokenId: string): Promise<IssuedToken | undefined>;
  /** All tokens in the log now, oldest first. @throws when the log can't be read */
  list(): Promise<IssuedToken[]>;
};

const pageSize = 1_000;

export function createTokenRegistry(
  store: Pick<EventStore, 'read'>,
  now = () => Date.now(),
): TokenRegistry {
  let state: Operators = noOperators;
  let byHash = new Map<string, IssuedToken>();

  const { confirm } = createFreshness(async () => {
    for (let full = true; full;) {
      const fromRevision = state.revision + 1;
      const events = await store.read(operatorsStream, { fromRevision, maxCount: pageSize });
      state = foldStored(operators, events, state);
      full = events.length === pageSize;
      if (events.length > 0)
        byHash = new Map([...state.tokens.values()].map((token) => [token.tokenHash, token]));
    }
  });

  const inForce = (issued: IssuedToken | undefined) =>
    issued && isInForce(issued, new Date(now()).toISOString()) ? issued : undefined;

  return {
    byToken: async (token) => {
      if (!isAdminToken(token)) return undefined;
      // Looked up by hash, so that timing reveals nothing about the token.
      const hash = hashAdminToken(token);
      const calledAt = performance.now();
      await confirm(calledAt - setupLeaseMs);
      // A newly issued token may not be in the list yet: refresh it, once for all waiting requests.
      if (!byHash.has(hash)) await confirm(calledAt);
      return inForce(byHash.get(hash));
    },
    byId: async (tokenId) => {
      await confirm(performance.now() - setupLeaseMs);
      return inForce(state.tokens.get(tokenId));
    },
    list: async () => {
      await confirm(performance.now());
      return [...state.tokens.values()];
    },
  };
}
