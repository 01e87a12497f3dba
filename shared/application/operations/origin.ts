import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** Whose doing the events are: becomes their metadata (docs/architecture.md). */
export type Origin = {
  actor: string;
  /** The API key that a merchant acts with, by its id. */
  keyId?: string;
  /** The token that an operator acts with, by its id. */
  tokenId?: string;
  correlationId: string;
  requestId?: string;
  /** The event that is reacted to. */
  causationId?: string;
  /** The place in a trace that leads to them, where it is kept. */
  traceparent?: string | undefined;
};

/** What follows from the same request, done by another than who sent it: who acts alone has a key or a token. */
export function byAnother({ keyId: _key, tokenId: _token, ...origin }: Origin, actor: string): Origin {
  return { ...origin, actor };
}

/** Of what is done on with for whoever asked for it, by a process that finds their event in the log. */
export function goneOnFrom({ id, metadata }: Pick<StoredEvent, 'id' | 'metadata'>): Origin {
  const { actor, key_id: keyId, token_id: tokenId, correlation_id: correlationId, traceparent } = metadata;
  return {
    actor,
    ...(keyId !== undefined && { keyId }),
    ...(tokenId !== undefined && { tokenId }),
    correlationId,
    causationId: id,
    traceparent,
  };
}
