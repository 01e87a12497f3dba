import { receiptPart } from '#shared/application/receipts/receipt-form.ts';
import { z } from 'zod';
import type { MultipartForm } from '#shared/platform/http/multipart.ts';
import { validate } from '#shared/platform/http/validate.ts';

/** The parts of a confirmation but for the file, which is `receipt` (R9.1). */
export const confirmFieldsSchema = z.strictObject({
  operation_id: z.guid('must be a UUID').meta({ description: 'The operation’s id.' }),
  confirmation_type: z.enum(['receipt'], 'must be "receipt"'),
});

const confirmFileName = receiptPart;

/**
 * The form as what it confirms.
 * @throws Problem invalid_request, with every part that is missing, unknown or invalid (R9.1)
 */
export function readConfirmation(form: MultipartForm): { operationId: string; content: Buffer } {
  const noFile = form.file === undefined || form.file.byteLength === 0;
  const { operation_id } = validate(confirmFieldsSchema, Object.fromEntries(form.fields), {
    codes: { operation_id: 'operation_id_invalid', confirmation_type: 'confirmation_type_unknown' },
    across: () => [
      ...form.errors,
      ...(noFile
        ? [
            {
              pointer: `/${confirmFileName}`,
              code: 'receipt_required',
              detail: 'send a file that is not empty',
            },
          ]
        : []),
    ],
  });
  return { operationId: operation_id.toLowerCase(), content: form.file ?? Buffer.alloc(0) };
}
