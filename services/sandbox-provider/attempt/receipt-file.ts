import type { WireLeg } from '#shared/application/providers/sandbox/wire.ts';
import { onePagePdf } from './one-page-pdf.ts';

/** A small PDF that shows one leg, the same bytes every time. */
export function sandboxReceiptFile(leg: WireLeg): Buffer {
  const text = `BT /F1 14 Tf 40 160 Td (Sandbox receipt) Tj 0 -30 Td (Amount: ${leg.amount}) Tj 0 -24 Td (Completed: ${leg.completed_at}) Tj 0 -24 Td (Id: ${leg.leg_id}) Tj ET`;
  return onePagePdf(text, [420, 220]);
}
