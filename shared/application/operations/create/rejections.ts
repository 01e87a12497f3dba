import { createRefusal } from '#shared/domain/operation/ends/decline-reason.ts';
import type { Operation } from '#shared/domain/operation/state.ts';

/** Why no provider has the operation (R7.3, R12.10); undefined where one accepted it. */
export const findRejection = ({ status, declineCause }: Operation) =>
  status === 'declined' && declineCause !== undefined ? createRefusal(declineCause) : undefined;
