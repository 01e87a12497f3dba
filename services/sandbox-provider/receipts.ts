import { createHash } from 'node:crypto';
import { isPdf } from '#shared/domain/operation/receipt/upload.ts';
import type { WireSnapshot } from '#shared/application/providers/sandbox/wire.ts';
import { takeReceipt } from './attempt/review.ts';
import { isSubmitted, toSnapshot } from './attempt/record.ts';
import type { SandboxAttemptRef, SandboxDependencies } from './sandbox.ts';

type UploadResult =
  | { ok: true; snapshot: WireSnapshot }
  | { ok: false; reason: 'unknown_attempt' | 'not_expected' | 'other_content' };

/** Receipts that payers upload, each once by the gateway's id. */
export function createReceiptDesk({ memory, save, context }: SandboxDependencies) {
  const { attempts, receipts, transaction } = memory;
  return {
    upload(
      ref: SandboxAttemptRef,
      receipt: { id: string; contentType: string; content: Uint8Array },
    ): UploadResult {
      const now = context();
      const { id: receiptId, contentType, content } = receipt;
      return transaction((): UploadResult => {
        const before = attempts.get(ref.key);
        if (!before || !isSubmitted(before)) return { ok: false, reason: 'unknown_attempt' };
        const expected =
          before.submission.body.type === 'payment' &&
          before.acceptance === 'accepted' &&
          before.status === 'open' &&
          before.review?.state !== 'waiting';
        if (!expected && !receipts.has(ref.key, receiptId))
          return { ok: false, reason: 'not_expected' };
        const sha256 = createHash('sha256').update(content).digest('hex');
        const result = receipts.take({
          ...ref,
          receiptId,
          contentType,
          sha256,
          content,
          receivedMs: now.nowMs,
        });
        if (result === 'other_content') return { ok: false, reason: 'other_content' };
        if (result === 'repeat') return { ok: true, snapshot: toSnapshot(before) };
        const after = takeReceipt(before, { id: receiptId, isPdf: isPdf(content) }, now);
        save({ before, after }, { nowMs: now.nowMs, report: after.review?.state !== 'waiting' });
        return { ok: true, snapshot: toSnapshot(after) };
      });
    },
  };
}

export type ReceiptDesk = ReturnType<typeof createReceiptDesk>;
