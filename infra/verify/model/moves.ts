import { evolveLate } from '#shared/domain/late/record.ts';
import type { AttemptAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { nextCreateStep } from '#shared/domain/operation/attempts/create-step.ts';
import { attemptsToWithdraw } from '#shared/domain/operation/due-steps/withdrawals.ts';
import { mayBeClosed } from '#shared/domain/operation/ends/close-by-hand.ts';
import { isTerminalEventType, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { findAttempt, type Operation } from '#shared/domain/operation/state.ts';
import { acceptedBy, providerMoves, submissionMoves } from './provider-moves.ts';
import type { Rules } from './rules.ts';
import { createCommand, isPayout, worldTime, modelRoutes, type Move, type World } from './world.ts';

type Decision = { events: OperationEvent[] } | { refusal: unknown };

/** Every possible next world. */
export function movesFrom(world: World, rules: Rules): Move[] {
  return [
    ...clock(world),
    ...merchant(world, rules),
    ...createProcess(world, rules),
    ...providerMoves(world),
    ...reports(world, rules),
    ...people(world, rules),
    ...processor(world, rules),
  ];
}

/** The world after a decision's events; none if nothing is appended. */
function after(name: string, world: World, decision: Decision): Move[] {
  if ('refusal' in decision || decision.events.length === 0) return [];
  return [{ name, events: decision.events, next: appended(world, decision.events) }];
}

function appended(world: World, events: readonly OperationEvent[]): World {
  let { operation, ends, awaited } = world;
  for (const event of events) {
    const awaitedBefore = awaitsReceipt(operation);
    operation = fold([event], operation);
    if (isTerminalEventType(event.type)) ends += 1;
    if (awaitsReceipt(operation) && !awaitedBefore) awaited += 1;
  }
  return { ...world, operation, ends, awaited };
}

const awaitsReceipt = (state: World['operation']): boolean =>
  state.phase === 'admitted' && state.status === 'awaiting_confirmation';

const clock = (world: World): Move[] =>
  world.clock < 2 && world.creating !== 'not begun'
    ? [
        {
          name: world.clock === 0 ? 'the acceptance wait ends' : 'the payment window ends',
          events: [],
          next: { ...world, clock: (world.clock + 1) as World['clock'] },
        },
      ]
    : [];

/** The create, its repeat, and a cancel by the merchant's own id. */
function merchant(world: World, rules: Rules): Move[] {
  const create = createCommand(world.kind);
  const { operation } = world;
  const created = after('a create', world, rules.admit(operation, create)).map((move) => ({
    ...move,
    next: { ...move.next, creating: 'running' as const },
  }));
  const { operationId, shopId, merchantId, merchantOperationId } = create;
  const command = { operationId, shopId, merchantId, merchantOperationId, reason: 'c' };
  return [...created, ...after('a cancel', world, rules.cancel(operation, command))];
}

/** The process that creates the operation takes its next step, or dies. */
function createProcess(world: World, rules: Rules): Move[] {
  const { creating, operation, clock: at } = world;
  if (creating === 'not begun' || creating === 'gone' || operation.phase !== 'admitted') return [];
  const gone: Move = {
    name: 'the process of the create dies',
    events: [],
    next: { ...world, creating: 'gone' },
  };
  const now = { routes: modelRoutes(world.kind), timeIsUp: at > 0 };
  if (creating !== 'running') {
    const { attempt, answer } = creating;
    const decision = rules.recordAnswer(operation, { attempt, answer, ...now });
    const back = { ...world, creating: 'refusal' in decision ? 'gone' : 'running' } as const;
    return [gone, ...after(`the answer ${answer.outcome} is recorded`, back, decision)];
  }
  const next = nextCreateStep(operation);
  if (next?.step === 'submit') return [gone, ...submissionMoves(world, next.attempt)];
  if (next?.step !== 'reserve') return [];
  const { attempt } = next.attempt;
  return [
    gone,
    ...(['reserved', 'insufficient_funds'] as const).flatMap((answer) =>
      after(answer, world, rules.recordReservation(operation, { attempt, answer, ...now })),
    ),
  ];
}

/** Any report arrives: a callback, a late or repeated one, or what a poll brings. */
function reports(world: World, rules: Rules): Move[] {
  if (world.operation.phase !== 'admitted') return [];
  return Object.entries(world.providers).flatMap(([number, at]) =>
    at.reports.flatMap((report) => take(world, rules, { attempt: Number(number), report })),
  );
}

/** Both streams are appended, or the process dies between them. */
function take(
  world: World,
  rules: Rules,
  { attempt, report }: { attempt: number; report: ProviderReport },
): Move[] {
  const operation = world.operation as Operation;
  const submitted = findAttempt(operation, attempt);
  if (!submitted) return [];
  const answer: AttemptAnswer = acceptedBy(attempt, world);
  const decision = rules.decideReport(operation, submitted, { answer, report });
  if ('refusal' in decision) return [];
  const next = appended(world, decision.events);
  const facts = { operation: next.operation as Operation, report, facts: decision.late };
  const { events: late } = rules.recordLate(world.late, facts);
  const name = `report ${report.version} of attempt ${attempt}`;
  const whole: Move = {
    name,
    events: [...decision.events, ...late],
    next: {
      ...next,
      late: late.reduce(evolveLate, world.late),
      lateEvents: [...world.lateEvents, ...late],
    },
  };
  if (decision.events.length === 0) return late.length === 0 ? [] : [whole];
  const half = { name: `${name}, and the process dies`, events: decision.events, next };
  return late.length === 0 ? [whole] : [whole, half];
}

/** The payer's receipt, an operator's review of it, and an admin's close. */
function people(world: World, rules: Rules): Move[] {
  const { operation, uploads } = world;
  const nowIso = worldTime(world);
  const receipt = { receiptId: `r${uploads}`, sha256: `r${uploads}`, sizeBytes: 1, pdf: false };
  const decided = { note: 'n', legId: 'by-hand', nowIso };
  const uploaded =
    uploads === 0
      ? after('a receipt', { ...world, uploads: 1 }, rules.uploadReceipt(operation, receipt))
      : [];
  return [
    ...uploaded,
    ...after(
      'an approval',
      world,
      rules.review(operation, {
        decision: 'approve',
        actualAmount: '100.00',
        mayExceed: true,
        ...decided,
      }),
    ),
    ...after('a refusal', world, rules.review(operation, { decision: 'decline', ...decided })),
    ...(mayBeClosed(operation, nowIso) && hasNewest(world)
      ? after('a close', world, rules.close(operation, { note: 'n', nowIso }))
      : []),
  ];
}

/** Due steps. Before a terminal one the provider is polled, as the processor does. */
function processor(world: World, rules: Rules): Move[] {
  const { operation, providers } = world;
  if (operation.phase !== 'admitted') return [];
  const nowIso = worldTime(world);
  const unknown = operation.attempts
    .filter(({ attempt, outcome }) => !providers[attempt] && outcome === 'unresolved')
    .flatMap(({ attempt }) =>
      after(
        `attempt ${attempt} is not found`,
        world,
        rules.recordNotFound(operation, { attempt, arrivedUntilIso: nowIso }),
      ),
    );
  const withdrawn = attemptsToWithdraw(operation)
    .filter((attempt) => providers[attempt]?.status !== 'open')
    .flatMap((attempt) =>
      after(
        `attempt ${attempt} is noted as withdrawn`,
        world,
        rules.noteWithdrawal(operation, attempt),
      ),
    );
  return [
    ...after('the create is abandoned', world, rules.rejectAbandoned(operation, nowIso)),
    ...(hasNewest(world) ? after('it expires', world, rules.expire(operation, nowIso)) : []),
    ...unknown,
    ...(isPayout(world) || world.clock === 0 ? [] : withdrawn),
  ];
}

/** Whether the accepted attempt's newest report was applied: its provider was just polled. */
function hasNewest({ operation, providers }: World): boolean {
  if (operation.phase !== 'admitted' || !operation.accepted) return true;
  const newest = providers[operation.accepted.attempt]?.reports.at(-1)?.version;
  return newest === undefined || operation.reportVersion === newest;
}
