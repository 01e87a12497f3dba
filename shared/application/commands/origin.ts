import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** Who and what causes events: it becomes their metadata (docs/architecture.md). */
export type Origin = {
  actor: string;
  /** The API key that a merchant acts with, by its id. */
  keyId?: string;
  /** The token that an operator acts with, by its id. */
  tokenId?: string;
  /** Whom the session that a member acts in goes back to, besides the member. */
  linkIssuers?: readonly string[];
  correlationId: string;
  requestId?: string;
  /** The event that caused this one. */
  causationId?: string;
  /** The span that leads to them, if its trace is kept. */
  traceparent?: string | undefined;
};

/** The same request, but another actor: only the one who sent it has a key, token or session. */
export function byAnother(
  { keyId: _key, tokenId: _token, linkIssuers: _issuers, ...origin }: Origin,
  actor: string,
): Origin {
  return { ...origin, actor };
}

/**
 * For a process that finds the event of a request in the log, and finishes the work in the name of
 * its sender.
 */
export function goneOnFrom({ id, metadata }: Pick<StoredEvent, 'id' | 'metadata'>): Origin {
  const {
    actor,
    key_id: keyId,
    token_id: tokenId,
    link_issuers: linkIssuers,
    correlation_id: correlationId,
    traceparent,
  } = metadata;
  return {
    actor,
    ...(keyId !== undefined && { keyId }),
    ...(tokenId !== undefined && { tokenId }),
    ...(linkIssuers !== undefined && { linkIssuers }),
    correlationId,
    causationId: id,
    traceparent,
  };
}
