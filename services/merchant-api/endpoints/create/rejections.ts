import type { Operation } from '#shared/domain/operation/state.ts';
import type { ProblemCode } from '#shared/platform/http/problems.ts';

type Rejection = { code: ProblemCode; detail: string };

/** How a failed creation is explained (R7.3, R12.10). */
const rejections: Readonly<Record<string, Rejection>> = {
  no_route: {
    code: 'provider_not_accepted',
    detail: 'no provider is configured for this operation',
  },
  routes_skipped: {
    code: 'provider_not_accepted',
    detail: 'no provider is available for this operation at the moment: send a new one later',
  },
  routes_full: {
    code: 'provider_not_accepted',
    detail:
      'the daily limits are reached: send a new operation later, after midnight UTC at the latest, or for a smaller amount',
  },
  all_refused: {
    code: 'provider_not_accepted',
    detail: 'every eligible provider refused the operation',
  },
  acceptance_timeout: {
    code: 'provider_not_accepted',
    detail: 'no provider accepted the operation within the acceptance wait',
  },
  provider_error: {
    code: 'provider_not_accepted',
    detail: 'no provider accepted the operation: at least one answered with an error',
  },
  insufficient_funds: {
    code: 'insufficient_funds',
    detail: "the payout would take the balance below the shop's overdraft limit",
  },
};

/** Why no provider has the operation; undefined where one accepted it. */
export const rejectionOf = ({ status, declineCause }: Operation): Rejection | undefined =>
  status === 'declined' ? rejections[declineCause ?? ''] : undefined;
