import { setUpPayments } from '#services/payment-page/testing/payer.ts';
import type { Page } from 'playwright-core';
import type { Shots } from './shots.ts';

/** The hosted payment page: the requisites, the receipt, and after payment. */
export const paymentPageShots: Shots = async (stack) => {
  const payments = await setUpPayments(stack);
  const { make, control, waitFor } = payments;
  const transfer = await make({ method: 'WT_RUB_PHONE', amount: '4990.00', expiresInS: 1800 });
  const receipt = await make({ amount: '12450.00', receipt: true, expiresInS: 1800 });
  const paid = await make({ amount: '4990.00' });
  await control(paid, 'settle', { result: 'completed' });
  await waitFor(paid, 'completed');
  const open = (url: string) => async (page: Page) => {
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const shots: Awaited<ReturnType<Shots>>['shots'] = [
    { name: 'payment-page-transfer', viewport: 'phone', open: open(transfer.url) },
    { name: 'payment-page-receipt', viewport: 'desktop', open: open(receipt.url) },
    { name: 'payment-page-paid', viewport: 'phone', open: open(paid.url) },
  ];
  return { shots, close: payments.close };
};
