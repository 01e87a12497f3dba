/**
 * Every table with the checkpoints of followers of the log, by the name of its followers: a
 * position in the column `position`, and the column of the event there. A move of the log translates them,
 * and a rebuild resets those that are not in the log.
 */
export const savedCheckpoints = {
  /** Of the read models, which a rebuild makes anew. */
  projections: { table: 'projections.status', event: 'position_event' },
  processor: { table: 'processor.feed', event: 'event' },
  'webhooks.relay': { table: 'webhooks.relay', event: 'position_event' },
  'webhooks.reconcile': { table: 'webhooks.reconciliation', event: 'position_event' },
  admin: { table: 'admin.mark', event: 'event' },
} as const;
