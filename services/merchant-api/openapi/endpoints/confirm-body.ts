import { z } from 'zod';

/** The parts of a confirmation (specification 4.4). */
export const confirmBodySchema = z.object({
  operation_id: z.guid(),
  confirmation_type: z.enum(['receipt']),
  receipt: z.file().mime('application/pdf').meta({ description: 'The file, a PDF.' }),
});
