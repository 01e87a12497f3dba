import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** The cause of events, which becomes their metadata (docs/architecture.md). */
export type Origin = {
  actor: string;
  /** The API key that a merchant acts with, by its id. */
  keyId?: string;
  /** The token that an operator acts with, by its id. */
  tokenId?: string;
  /** The issuers of the sign-in links that led to the session of a member. */
  linkIssuers?: readonly string[];
  correlationId: string;
  requestId?: string;
  /** The event that caused this one. */
  causationId?: string;
  /** The parent span, if its trace is sampled. */
  traceparent?: string | undefined;
};

/** The same request with another actor: the key, token or session belong to the sender alone. */
export function byAnother(
  { keyId: _key, tokenId: _token, linkIssuers: _issuers, ...origin }: Origin,
  actor: string,
): Origin {
  return { ...origin, actor };
}

/**
 * The origin for a process that finds the event of a request in the log, and finishes the work on
 * behalf of its sender.
 */
export function continuedFrom({ id, metadata }: Pick<StoredEvent, 'id' | 'metadata'>): Origin {
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
