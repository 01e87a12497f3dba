import type { Context } from 'hono';
import {
  createArrivals,
  type ArrivalLimits,
  type Sender,
  type SentBy,
} from '#shared/platform/http/arrivals.ts';
import {
  readMultipart,
  type MultipartForm,
  type MultipartRules,
} from '#shared/platform/http/multipart.ts';
import { createPlaces, type Room } from '#shared/platform/http/places.ts';
import { maxReceiptBytes } from '#shared/application/providers/connector.ts';

/** The part of a form that is the receipt (R9.1). */
export const receiptPart = 'receipt';

/**
 * The bytes that all uploads in progress may hold in this process: 32 of the largest. Only bytes
 * that have arrived count, not announced ones.
 */
export const uploadRoom = {
  total: 32 * maxReceiptBytes,
  ofOne: { sender: 8 * maxReceiptBytes, shop: 8 * maxReceiptBytes, address: 16 * maxReceiptBytes },
} as const;

/** As fast as a slow mobile connection; slower uploads are cut off. */
export const uploadArrivals: ArrivalLimits = {
  room: { total: 2_048, ofOne: { sender: 64, shop: 256, address: 64 } },
  withinMs: 5_000,
  bytesPerS: 32 * 1024,
};

export type Uploads = ReturnType<typeof createUploads>;

/** Reads forms with a receipt, and counts their bytes until the work with them is done. */
export function createUploads({
  arrivals = uploadArrivals,
  room = uploadRoom,
}: Partial<UploadLimits> = {}) {
  const coming = createArrivals(arrivals);
  const held = createPlaces<Sender>(room);
  return {
    /**
     * @throws Problem as `readMultipart` and `Arrivals#read` do; not_ready when there is no room
     * for more bytes
     */
    run: async <T>(
      c: Context,
      { sentBy, rules }: { sentBy: SentBy; rules: MultipartRules },
      work: (form: MultipartForm) => Promise<T>,
    ): Promise<T> => {
      const place = held.enter(sentBy);
      try {
        const form = await coming.read(
          c,
          () => sentBy,
          (noteBytes) =>
            readMultipart(c, rules, (count) => {
              noteBytes(count);
              place.take(count);
            }),
        );
        return await work(form);
      } finally {
        place.leave();
      }
    },
  };
}

export type UploadLimits = { arrivals: ArrivalLimits; room: Room<Sender> };

/** A form with a receipt and these other parts. */
export const receiptForm = (fields: readonly string[] = []): MultipartRules => ({
  fields,
  file: receiptPart,
  maxFileBytes: maxReceiptBytes,
});
