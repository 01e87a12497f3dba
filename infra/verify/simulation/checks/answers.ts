import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { Find } from '#infra/verify/harness/finding.ts';

type Status = Operation['status'];

/** An answer to a merchant, with the times of its request and its arrival. */
export type RecordedResponse = {
  /** `clash`: another create under the same key. `spy`: another shop asks. */
  readonly what: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A request with all its answers. */
type Answered = {
  readonly operationId: string;
  readonly type: 'payment' | 'payout';
  readonly responses: readonly RecordedResponse[];
};

/** Answers to a merchant must be consistent and stay true (R6.3, R10.2). */
export function checkAnswers(operation: Answered, find: Find): void {
  const { responses, operationId, type } = operation;
  const say = (what: string, ...answers: RecordedResponse[]) =>
    find(what, { operationId, type, answers });
  for (const answer of responses) {
    if (answer.status >= 500 && answer.status !== 503) say('an answer is a server error', answer);
  }
  const definite = responses.filter(({ status }) => status < 500);

  const creates = definite.filter(({ what }) => what === 'create');
  const takenByCancel = ({ status, body }: RecordedResponse) =>
    status === 412 && body['code'] === 'idempotency_body_mismatch';
  for (const answer of creates) {
    if (type === 'payout' && takenByCancel(answer)) continue;
    if (![200, 422].includes(answer.status))
      say('a create is answered with neither an operation nor a rejection', answer);
    if (answer.body['operation_id'] !== operationId)
      say('a create is answered with another operation', answer);
  }
  const [first, ...repeats] = creates;
  for (const repeat of repeats) {
    if (first && (repeat.status !== first.status || repeat.body['code'] !== first.body['code']))
      say('two creates of one key are answered differently', first, repeat);
  }

  for (const answer of definite) {
    const { what, status, body } = answer;
    if (what === 'clash' && body['code'] !== 'idempotency_body_mismatch')
      say('a key is answered with another body', answer);
    if (what === 'spy' && status !== 404) say('a shop is told of another one’s operation', answer);
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
      if (endOf(later) !== endOf(earlier)) say('an end that was told did not last', earlier, later);
    }
  }
  for (const cancel of definite.filter(({ what, status }) => what === 'cancel' && status === 200)) {
    if (cancel.body['outcome'] !== 'cancelled') continue;
    for (const later of shown) {
      if (later.sentMs <= cancel.receivedMs) continue;
      if (later.body['status'] !== 'cancelled') say('what was cancelled goes on', cancel, later);
      if (type === 'payment' && ['number', 'expires_at'].some((field) => field in later.body))
        say('what was cancelled shows where to pay', cancel, later);
    }
  }
}

function endOf({ body }: RecordedResponse): string {
  const { status, actual_amount, recorded_amount, settlement_amount, commission_amount } = body;
  return JSON.stringify([
    status,
    actual_amount,
    recorded_amount,
    settlement_amount,
    commission_amount,
  ]);
}
