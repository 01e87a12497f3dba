/** Whose doing the events are: becomes their metadata (architecture: the same five fields on every event). */
export type Origin = {
  actor: string;
  correlationId: string;
  requestId?: string;
  /** The event that is reacted to. */
  causationId?: string;
};
