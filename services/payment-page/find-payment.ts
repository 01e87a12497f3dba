import { operationStream } from '#shared/domain/operation/events.ts';
import { currentRoute, type Operation } from '#shared/domain/operation/state.ts';
import { isTestProvider } from '#shared/domain/shop/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { PayDependencies } from './dependencies.ts';
import { shownShop, type ShownShop } from './shop.ts';
import { toVisiblePayment, type VisiblePayment } from './visible-payment.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export type Payment = {
  operation: Operation;
  shown: VisiblePayment;
  /** The shop as it is now, not as of the payment's creation. */
  shop: ShownShop;
  /** No real money moves. */
  isTest: boolean;
};

type FindPaymentPorts = Pick<
  PayDependencies,
  'directory' | 'operations' | 'personal' | 'limits' | 'now'
>;

/**
 * The payment of an address. Unknown ids, payouts, operations that are still being created and
 * shops without a hosted page all look the same: not found.
 * @throws Problem operation_not_found; not_ready when it can't be read now
 */
export async function findPayment(
  { directory, operations, personal, limits, now }: FindPaymentPorts,
  { id, address }: { id: string; address: string },
): Promise<Payment> {
  const operationId = id.toLowerCase();
  if (!uuid.test(operationId)) throw new Problem('operation_not_found');
  const unreadable = (cause: unknown) => {
    throw new Problem('not_ready', { detail: 'the payment could not be read', cause });
  };
  const state = await operations.read(operationStream(operationId)).catch(unreadable);
  const shown = state.phase === 'admitted' ? toVisiblePayment(state, now()) : undefined;
  const shop =
    state.phase === 'admitted' && shown
      ? await directory.byId(state.shopId).catch(unreadable)
      : undefined;
  if (state.phase !== 'admitted' || !shown || !shop?.settings.hosted_page) {
    limits.noteMiss(address);
    throw new Problem('operation_not_found');
  }
  const about = {
    operation: state,
    shop: shownShop(shop.settings, state),
    isTest: isTestProvider(currentRoute(state)?.provider ?? ''),
  };
  // Only what the page shows is decrypted.
  if (shown.state !== 'awaiting' || shown.overdue) return { ...about, shown };
  const opened = await personal.open(state).catch(unreadable);
  return { ...about, shown: toVisiblePayment(state, now(), opened) ?? shown };
}
