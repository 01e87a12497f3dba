import {
  connectionErrors,
  otherError,
  responseStatusError as statusErrorWords,
} from '#shared/application/webhooks/attempt-errors.ts';
import { DestinationRefused } from '../guard/guard.ts';

/** Why a request got no answer, in words that reveal no internal addresses. */
export function describeSendError(error: unknown): string {
  if (error instanceof DestinationRefused) return error.message;
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const label = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  return (connectionErrors[label] ?? otherError(label.slice(0, 64))).en;
}

/** Why an answer is not a success. */
export const describeErrorStatus = (statusCode: number): string => statusErrorWords(statusCode).en;
