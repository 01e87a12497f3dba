import { liveFrom } from '#shared/domain/late/testing/live.ts';
import { sum } from '#shared/domain/money.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { admitted, started } from '#shared/domain/operation/testing/given.ts';
import { reserved } from '#shared/domain/operation/testing/payouts.ts';
import type { AttemptKnown } from '../../connector.ts';
import type { Submission } from './harness.ts';

/**
 * The result of an operation that applies these reports in order: the money that the gateway
 * counts, and the returns that exceed the received money.
 */
export function moneyAfterReports(
  { type, request, route, operationId }: Submission,
  states: readonly AttemptKnown[],
) {
  const life = liveFrom([
    admitted({ operationId, type, request }),
    started(1, route),
    ...(type === 'payout' ? [reserved()] : []),
  ]);
  for (const { answer, report } of states) {
    const operation = life.operation;
    const answered = recordAnswer(operation, { attempt: 1, answer, routes: [], timeIsUp: false });
    if ('events' in answered) life.apply(answered.events);
    life.report(report);
  }
  const { operation, lateEvents } = life;
  const received = operation.legs.map(({ amount }) => amount);
  const returned: string[] = [];
  const beyond: string[] = [];
  for (const { type: of, data } of lateEvents) {
    if (of === 'LateMoneyReceived') received.push(data.leg.amount);
    if (of === 'DifferenceReported')
      (data.of === 'return' ? returned : received).push(data.leg.amount);
    if (of === 'MoneyReturned') {
      returned.push(data.leg.amount);
      beyond.push(data.beyond ?? '0.00');
    }
  }
  return {
    status: operation.status,
    money: fromMinor(toMinor(sum(received)) - toMinor(sum(returned))),
    beyond: sum(beyond),
  };
}
