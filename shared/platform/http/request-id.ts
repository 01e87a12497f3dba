import { randomUUID } from 'node:crypto';
import { holdsCardNumber } from '#shared/domain/card-numbers.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;
/**
 * Stored for good with every event that the request causes, so it may not look like a card number.
 */
const isRequestId = (text: string) => requestIdPattern.test(text) && !holdsCardNumber(text);

/** The client's id of a request, or a new one (R2.7). */
export const requestIdFrom = (header: string | readonly string[] | undefined): string =>
  typeof header === 'string' && isRequestId(header) ? header : randomUUID();
