import { setTimeout as delay } from 'node:timers/promises';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { hashAdminToken, newAdminToken } from '#shared/application/credentials.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { setupLeaseMs } from '#shared/application/directory/stream.ts';
import { operatorsStream } from '#shared/domain/operator/events.ts';
import {
  issueOperatorToken,
  revokeOperatorToken,
  type IssuedToken,
  type Operators,
} from '#shared/domain/operator/operators.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { operators } from './stream.ts';

type TokenRequest = Pick<IssuedToken, 'name' | 'role'> & { expiresInS: number };

/**
 * A new token for the admin API; only its hash is stored.
 * @throws Problem not_ready when the outcome is unknown
 */
export async function issueAdminToken(
  store: EventStore,
  { name, role, expiresInS }: TokenRequest,
  origin: Origin,
): Promise<{ tokenId: string; token: string }> {
  const token = newAdminToken();
  const tokenId = newId();
  const expiresAt = new Date(Date.now() + expiresInS * 1_000).toISOString();
  const hint = token.slice(-4);
  const tokenHash = hashAdminToken(token);
  const event = issueOperatorToken({ tokenId, tokenHash, name, role, hint, expiresAt });
  await change(store, origin, () => ({ events: [event] }));
  return { tokenId, token };
}

/**
 * Revokes a token, and returns once no instance accepts it (R16.3).
 * @throws Problem not_found; not_ready when the outcome is unknown and the command should be
 * retried
 */
export async function revokeAdminToken(
  store: EventStore,
  tokenId: string,
  origin: Origin,
): Promise<void> {
  await change(store, origin, (state) => revokeOperatorToken(state, tokenId));
  // After this, every instance has refreshed its list. A repeat waits too.
  await delay(setupLeaseMs);
}

async function change(
  store: EventStore,
  origin: Origin,
  decide: (state: Operators) => ReturnType<typeof revokeOperatorToken>,
): Promise<void> {
  const result = await decideAndAppend(
    { store, stream: operatorsStream, folding: operators, origin },
    decide,
  );
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') throw new Problem(result.refusal);
}
