import type { OperatorEvent, Role } from './events.ts';

export type IssuedToken = {
  tokenId: string;
  tokenHash: string;
  name: string;
  role: Role;
  hint: string;
  createdAt: string;
  createdBy: string;
  expiresAt?: string;
  revokedAt?: string;
  revokedBy?: string;
};

/** Every token that was ever issued, the oldest first. */
export type Operators = { revision: number; tokens: ReadonlyMap<string, IssuedToken> };

export const noOperators: Operators = { revision: -1, tokens: new Map() };

/** The operators after one more event, with its time and actor. */
export function evolveOperators(
  state: Operators,
  { type, data }: OperatorEvent,
  { createdIso, actor }: { createdIso: string; actor: string },
): Operators {
  const tokens = new Map(state.tokens);
  if (type === 'AdminTokenIssued') {
    const { token_id: tokenId, token_hash: tokenHash, expires_at: expiresAt, ...rest } = data;
    const issued = { tokenId, tokenHash, ...rest, createdAt: createdIso, createdBy: actor };
    tokens.set(tokenId, { ...issued, ...(expiresAt !== undefined && { expiresAt }) });
  } else {
    const token = tokens.get(data.token_id);
    if (token) tokens.set(token.tokenId, { ...token, revokedAt: createdIso, revokedBy: actor });
  }
  return { revision: state.revision + 1, tokens };
}

export type NewToken = Pick<IssuedToken, 'tokenId' | 'tokenHash' | 'name' | 'role' | 'hint'> & {
  expiresAt?: string | undefined;
};

/** The longest that a token may be valid. */
export const maxExpiresInS = 10 * 365 * 86_400;

export function issueOperatorToken({
  tokenId,
  tokenHash,
  expiresAt,
  ...rest
}: NewToken): OperatorEvent {
  const data = { token_id: tokenId, token_hash: tokenHash, ...rest };
  return {
    type: 'AdminTokenIssued',
    data: { ...data, ...(expiresAt !== undefined && { expires_at: expiresAt }) },
  };
}

/** Revokes a token for good; `not_found`: there never was one. */
export function revokeOperatorToken(
  { tokens }: Operators,
  tokenId: string,
): { events: OperatorEvent[] } | { refusal: 'not_found' } {
  const token = tokens.get(tokenId);
  if (!token) return { refusal: 'not_found' };
  if (token.revokedAt !== undefined) return { events: [] };
  return { events: [{ type: 'AdminTokenRevoked', data: { token_id: tokenId } }] };
}

/**
 * Whether a token is valid at this time. Times are as `Date#toISOString` writes them, so they sort
 * as texts.
 */
export function isInForce({ revokedAt, expiresAt }: IssuedToken, nowIso: string): boolean {
  return revokedAt === undefined && (expiresAt === undefined || nowIso < expiresAt);
}
