import type { Context } from 'hono';
import {
  createIncomingBodies,
  type IncomingBodyLimits,
} from '#shared/platform/http/incoming-bodies.ts';
import {
  readMultipart,
  type MultipartForm,
  type MultipartRules,
} from '#shared/platform/http/multipart.ts';
import { createSlots, type Capacity } from '#shared/platform/http/slots.ts';
import { forbiddenScopeFields } from '../scope-fields.ts';
import type { Sender, SentBy } from '../sent-by.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';

/** The part of a form that is the receipt (R9.1). */
export const receiptPart = 'receipt';

/**
 * The bytes that all uploads in progress may hold in this process: 32 of the largest. Only received
 * bytes count, not announced ones.
 */
export const uploadCapacity = {
  total: 32 * maxReceiptBytes,
  perOwner: {
    sender: 8 * maxReceiptBytes,
    shop: 8 * maxReceiptBytes,
    address: 16 * maxReceiptBytes,
  },
} as const;

/** Allows the speed of a slow mobile connection; slower uploads are cut off. */
export const uploadBodyLimits: IncomingBodyLimits<Sender> = {
  capacity: { total: 2_048, perOwner: { sender: 64, shop: 256, address: 64 } },
  withinMs: 5_000,
  bytesPerS: 32 * 1024,
};

export type Uploads = ReturnType<typeof createUploads>;

/** Reads forms with a receipt, and counts their bytes until the work with them is done. */
export function createUploads({
  incomingBodies = uploadBodyLimits,
  capacity = uploadCapacity,
}: Partial<UploadLimits> = {}) {
  const incoming = createIncomingBodies(incomingBodies);
  const held = createSlots<Sender>(capacity);
  return {
    /**
     * @throws Problem as `readMultipart` and `IncomingBodies#read` do; not_ready when the capacity
     * is exceeded
     */
    run: async <T>(
      c: Context,
      { sentBy, rules }: { sentBy: SentBy; rules: MultipartRules },
      work: (form: MultipartForm) => Promise<T>,
    ): Promise<T> => {
      const slot = held.open(sentBy);
      try {
        const form = await incoming.read(
          c,
          () => sentBy,
          (noteBytes) =>
            readMultipart(c, rules, (count) => {
              noteBytes(count);
              slot.acquire(count);
            }),
        );
        return await work(form);
      } finally {
        slot.release();
      }
    },
  };
}

export type UploadLimits = {
  incomingBodies: IncomingBodyLimits<Sender>;
  capacity: Capacity<Sender>;
};

/** A form with a receipt and these other parts. */
export const receiptFormRules = (fields: readonly string[] = []): MultipartRules => ({
  fields,
  file: receiptPart,
  unknownFields: forbiddenScopeFields,
  maxFileBytes: maxReceiptBytes,
});
