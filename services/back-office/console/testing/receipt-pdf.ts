import { onePagePdf } from '#services/sandbox-provider/attempt/one-page-pdf.ts';

/** A small PDF that looks like a bank's receipt, and that browsers show. */
export function receiptPdf(amount: string): Buffer<ArrayBuffer> {
  const lines = [
    'Bank receipt',
    `Amount: ${amount} RUB`,
    'To: +7 945 *** ** 17',
    'Status: in progress',
    'No. 4471-0098',
  ];
  const text = lines
    .map((line, index) => `1 0 0 1 60 ${760 - index * 34} Tm (${line}) Tj`)
    .join(' ');
  return onePagePdf(`BT /F1 22 Tf ${text} ET`, [595, 842]);
}
