import type { KeyScope } from '#shared/domain/shop/events.ts';
import type { EventEnvelope } from '../report/findings/report-violation.ts';
import { whatIsDone } from './commands.ts';

const all =
  (scope: KeyScope | 'all') =>
  (...types: readonly string[]) =>
    types.map((type): [string, KeyScope | 'all'] => [type, scope]);

/**
 * The scope that a key needs for a merchant's command (R1.14), `all` for a key without scopes. The
 * auditor has its own copy of the routes' scopes. What follows from a command, or from a read, may
 * be written with any key.
 */
const scopes: ReadonlyMap<string, KeyScope | 'all'> = new Map([
  ...all('payments')(
    'OperationAdmitted payment',
    'OperationCancelledBeforeCreate',
    'OperationCancelled',
    'ReceiptUploaded',
  ),
  ...all('payouts')(
    'OperationAdmitted payout',
    'PayoutBatchRowsStored',
    'PayoutBatchChecked',
    'PayoutBatchConfirmed',
  ),
  ...all('all')('WebhookConfigured', 'WebhookSecretIssued', 'WebhookEndpointDeleted'),
]);

/** Why a key with these scopes can't have been used for an event; undefined if it can. */
export function whyNotInScope(
  envelope: EventEnvelope,
  own: readonly KeyScope[] | undefined,
): string | undefined {
  if (!own) return undefined;
  const { data } = envelope;
  const what =
    envelope.type === 'OperationAdmitted'
      ? `OperationAdmitted ${String((data as { type?: unknown }).type)}`
      : whatIsDone(envelope);
  const needed = scopes.get(what);
  if (needed === undefined || own.some((scope) => scope === needed)) return undefined;
  return needed === 'all'
    ? `${what} needs a key without scopes`
    : `${what} needs the scope ${needed}, not only ${own.join(', ')}`;
}
