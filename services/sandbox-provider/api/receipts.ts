import type { Context, Hono } from 'hono';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { toWireEvidence } from '../attempt/evidence.ts';
import { sandboxReceiptFile } from '../attempt/receipt-file.ts';
import { isSubmitted, type SubmittedAttempt } from '../attempt/record.ts';
import type { SandboxEnv } from '../env.ts';
import type { ReceiptDesk } from '../receipts.ts';
import type { SandboxMemory } from '../store/memory.ts';
import { parseAttemptRef } from './attempts.ts';

/** Receipts of payers, and the provider's evidence for money. */
export function registerSandboxReceipts(
  app: Hono<SandboxEnv>,
  { desk, memory }: { desk: ReceiptDesk; memory: SandboxMemory },
) {
  const submitted = (c: Context<SandboxEnv>): SubmittedAttempt => {
    const record = memory.attempts.get(parseAttemptRef(c).key);
    if (!record || !isSubmitted(record)) throw new Problem('not_found');
    return record;
  };
  const evidence = (record: SubmittedAttempt) => {
    const available = toWireEvidence(record);
    if (!available) throw new Problem('receipt_evidence_unavailable');
    return available;
  };

  app.put('/v1/attempts/:key/receipts/:receiptId{[A-Za-z0-9-]{1,64}}', async (c) => {
    const uploaded = desk.upload(parseAttemptRef(c), {
      id: c.req.param('receiptId'),
      contentType: c.req.header('content-type') ?? 'application/octet-stream',
      content: await readBytes(c, maxReceiptBytes),
    });
    if (uploaded.ok) return c.json(uploaded.snapshot);
    switch (uploaded.reason) {
      case 'unknown_attempt':
        throw new Problem('not_found', { detail: 'nothing was submitted with this key' });
      case 'not_expected':
        throw new Problem('confirmation_not_expected');
      case 'other_content':
        throw new Problem('idempotency_body_mismatch', {
          detail: 'the receipt id belongs to another file',
        });
    }
  });

  app.get('/v1/attempts/:key/evidence', (c) => c.json(evidence(submitted(c))));

  app.get('/v1/attempts/:key/legs/:legId/file', (c) => {
    const { items } = evidence(submitted(c));
    const leg = items.find(({ leg_id }) => leg_id === c.req.param('legId'));
    if (!leg?.file) throw new Problem('not_found', { detail: 'this leg has no file' });
    return c.body(new Uint8Array(sandboxReceiptFile(leg)), 200, {
      'content-type': 'application/pdf',
    });
  });
}
