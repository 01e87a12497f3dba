import { z } from 'zod';

const count = z.int().min(0);

const rowErrorSchema = z.object({
  row: z.int().min(1).meta({ description: 'Counts from 1 below the header.' }),
  pointer: z.string().meta({ description: 'The field, or the whole row (`""`).' }),
  code: z.string().meta({
    description:
      'As in `errors` of POST /v1/payout; `operation_exists`: an operation has this ID already, with another body; or what a spreadsheet did to the cell: `cell_formula`, `cell_date`, and `cell_number` where it shows another number than it stores.',
  }),
  cell: z
    .string()
    .optional()
    .meta({
      description:
        'The cell as a spreadsheet names it, such as `D12`: there the header is row 1. Absent of a whole row, and of a column that the file lacks.',
      examples: ['D12'],
    }),
  operation_id: z
    .uuid()
    .optional()
    .meta({ description: 'Only of `operation_exists`: the operation that has the ID.' }),
  detail: z.string().meta({ description: 'What is wrong, for people; the text may change.' }),
});

export const checkedBatchSchema = z.object({
  batch_id: z.uuid(),
  status: z.enum(['checked', 'running', 'done']),
  rows: count.meta({ description: 'Rows of the file, without its header.' }),
  total: z.record(z.string(), z.string()).meta({
    description:
      'The sum of the rows without an error, by currency: also of those that repeat a payout, which are not paid again.',
  }),
  errors: z
    .array(rowErrorSchema)
    .meta({ description: 'At most the first 1,000. While there is one, nothing is created.' }),
  needs_second_member: z.literal(true).optional().meta({
    description:
      'Only present while it is so: the file waits until another member than the one who uploaded it confirms it in the portal. An API key can’t.',
  }),
});

export const batchSchema = checkedBatchSchema.extend({
  created: count.meta({ description: 'Rows whose payout a provider has accepted.' }),
  failed: count.meta({ description: 'Rows without a payout; the result file says why.' }),
});
