/** Whose doing the events are: becomes their metadata (docs/architecture.md). */
export type Origin = {
  actor: string;
  correlationId: string;
  requestId?: string;
  /** The event that is reacted to. */
  causationId?: string;
  /** The place in a trace that leads to them, where it is kept. */
  traceparent?: string | undefined;
};
