import { z } from 'zod';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import { operationsQuerySchema } from '../list/query.ts';

/** The filters of the lists that are exported (R10.15), each as text. */

export const operationsFileQuery = operationsQuerySchema.omit({ limit: true, cursor: true });

export const journalFileQuery = z.strictObject({
  currency: z.enum(currencies).optional(),
  posted_from: timeParameter.optional(),
  posted_to: timeParameter.optional(),
});

export const deliveriesFileQuery = z.strictObject({
  operation_id: z.guid().toLowerCase().optional(),
  status: z.enum(messageStatuses).optional(),
  created_from: timeParameter.optional(),
  created_to: timeParameter.optional(),
});
