import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

type Status = Operation['status'];

/** An answer to a merchant, with the times of its request and its arrival. */
export type MerchantResponse = {
  /** `clash`: another create under the same key. `spy`: another shop reads. */
  readonly what: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A request with all its answers. */
type RequestAnswers = {
  readonly operationId: string;
  readonly type: 'payment' | 'payout';
  readonly responses: readonly MerchantResponse[];
};

/** Answers to a merchant must be consistent and stay true (R6.3, R10.2). */
export function checkAnswers(operation: RequestAnswers, find: Find): void {
  const { responses, operationId, type } = operation;
  const reportBroken = (what: string, ...answers: MerchantResponse[]) =>
    find(what, { operationId, type, answers });
  for (const answer of responses) {
    if (answer.status >= 500 && answer.status !== 503)
      reportBroken('an answer is a server error', answer);
  }
  const definite = responses.filter(({ status }) => status < 500);

  const creates = definite.filter(({ what }) => what === 'create');
  const takenByCancel = ({ status, body }: MerchantResponse) =>
    status === 412 && body['code'] === 'idempotency_body_mismatch';
  for (const answer of creates) {
    if (type === 'payout' && takenByCancel(answer)) continue;
    if (![200, 422].includes(answer.status))
      reportBroken('a create is answered with neither an operation nor a rejection', answer);
    if (answer.body['operation_id'] !== operationId)
      reportBroken('a create is answered with another operation', answer);
  }
  const [first, ...repeats] = creates;
  for (const repeat of repeats) {
    if (first && (repeat.status !== first.status || repeat.body['code'] !== first.body['code']))
      reportBroken('two creates of one key are answered differently', first, repeat);
  }

  for (const answer of definite) {
    const { what, status, body } = answer;
    if (what === 'clash' && body['code'] !== 'idempotency_body_mismatch')
      reportBroken('a key is answered with another body', answer);
    if (what === 'spy' && status !== 404)
      reportBroken('a shop sees another one’s operation', answer);
  }

  const withStatus = new Set(['create', 'read', 'confirm']);
  const shown = definite.filter(({ what, status }) => withStatus.has(what) && status === 200);
  for (const earlier of shown) {
    for (const later of shown) {
      if (
        later.sentMs <= earlier.receivedMs ||
        later === earlier ||
        !isTerminal(earlier.body['status'] as Status)
      )
        continue;
      if (terminalFields(later) !== terminalFields(earlier))
        reportBroken('a reported end did not last', earlier, later);
    }
  }
  for (const cancel of definite.filter(({ what, status }) => what === 'cancel' && status === 200)) {
    if (cancel.body['outcome'] !== 'cancelled') continue;
    for (const later of shown) {
      if (later.sentMs <= cancel.receivedMs) continue;
      if (later.body['status'] !== 'cancelled')
        reportBroken('what was cancelled continues', cancel, later);
      if (type === 'payment' && ['number', 'expires_at'].some((field) => field in later.body))
        reportBroken('what was cancelled shows where to pay', cancel, later);
    }
  }
}

function terminalFields({ body }: MerchantResponse): string {
  const { status, actual_amount, recorded_amount, settlement_amount, commission_amount } = body;
  return JSON.stringify([
    status,
    actual_amount,
    recorded_amount,
    settlement_amount,
    commission_amount,
  ]);
}
