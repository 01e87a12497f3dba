import { checkpointKeyStream } from '#shared/domain/ledger/checkpoints.ts';
import { mayLoseEvents } from '#shared/domain/log/retention.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import type { Books } from '../../money/ledger/books.ts';
import { judgeAdjustment } from '../../money/ledger/judge-adjustment.ts';
import { judgeEvidence } from '../operation/judge-evidence.ts';
import { judgeLate } from '../operation/judge-late.ts';
import { judgeOpenLate } from '../operation/judge-open-late.ts';
import { judgeOperation } from '../operation/judge-operation.ts';
import { judgePersonal, judgeSealed } from '../personal/judge-personal.ts';
import type { AuditContext } from './context.ts';
import { createSetupStreams } from './setup-streams.ts';

/** Checks an event and applies it to its stream's state. */
export type Judge = (context: AuditContext, envelope: EventEnvelope) => void;
export type Judges = ReadonlyMap<string, Judge>;
type EntityJudge = (context: AuditContext, entity: AuditedEntity, envelope: EventEnvelope) => void;

/** By the part of the stream's name before the first hyphen. */
export function createJudges(books: Books): Judges {
  const inOrder = createInOrder();
  const setup = createSetupStreams();
  const applyShop: Judge = (context, envelope) => {
    context.shops.take(envelope, context);
    if (envelope.type === 'ShopCreated')
      context.trees.shop(envelope.event.stream.slice('shop-'.length), envelope);
  };
  return new Map<string, Judge>([
    ['operation', applyOperation],
    ['ledger', inOrder((context, envelope) => books.take(envelope, context))],
    ['receipts', judgingEntity('receipts', judgeEvidence)],
    ['late', judgingEntity('late', applyLate)],
    ['adjustment', inOrder(applyAdjustment)],
    ['shop', inOrder(applyShop)],
    ['merchant', inOrder(applyShop)],
    ['directory', inOrder(setup.directory)],
    ['operators', inOrder(setup.operators)],
    ['provider', inOrder(setup.provider)],
    ['statement', inOrder(setup.providerStatement)],
    ['payout', inOrder(setup.payoutBatch)],
    ['audit', inOrder(setup.audit)],
    ['log', inOrder(setup.log)],
    ['api', inOrder(setup.keyUse)],
    ['checkpoints', inOrder((context, envelope) => context.trees.checkpoint(context, envelope))],
    ['checkpoint', inOrder(applyCheckpointSetup)],
    ['members', inOrder(() => undefined)],
    ['webhook', inOrder(setup.webhookCommands)],
    ['personal', judgePersonal],
  ]);
}

const applyLate: EntityJudge = (context, entity, envelope) => {
  judgeLate(context, entity, envelope);
  judgeOpenLate(context, entity, envelope);
};

/** The keys of checkpoints, and requests for them. */
const applyCheckpointSetup: Judge = (context, envelope) =>
  envelope.event.stream === checkpointKeyStream
    ? context.trees.key(context, envelope)
    : context.trees.request(context, envelope);

const applyAdjustment: Judge = (context, envelope) =>
  judgeAdjustment(context, context.entities.of(envelope.event.stream), envelope);

/** For the streams of an operation, whose entity has their revisions. */
const judgingEntity =
  (stream: 'operation' | 'late' | 'receipts', judge: EntityJudge): Judge =>
  (context, envelope) => {
    const entity = context.entities.of(envelope.event.stream.slice(stream.length + 1));
    checkRevision(context, envelope, entity.revisions[stream]);
    entity.revisions[stream] = envelope.event.revision;
    judge(context, entity, envelope);
  };

const judgeOperationEvent = judgingEntity('operation', judgeOperation);

const applyOperation: Judge = (context, envelope) => {
  judgeOperationEvent(context, envelope);
  // Last: it loads another entity, which may spill this one.
  judgeSealed(context, envelope);
};

/** For streams without an entity, such as ledgers and shops. */
function createInOrder(): (judge: Judge) => Judge {
  const revisions = new Map<string, number>();
  return (judge) => (context, envelope) => {
    const { stream, revision } = envelope.event;
    // A stream that keeps only its newest event has lost the older ones.
    const lastRevision = revisions.get(stream);
    if (!mayLoseEvents(stream) || lastRevision !== undefined)
      checkRevision(context, envelope, lastRevision);
    revisions.set(stream, revision);
    judge(context, envelope);
  };
}

function checkRevision(
  context: AuditContext,
  envelope: EventEnvelope,
  before: number | undefined,
): void {
  const expected = (before ?? -1) + 1;
  if (envelope.event.revision === expected) return;
  const message = `revision ${envelope.event.revision} follows where ${expected} is expected`;
  createFlag(context, envelope)('log.revision_gap', message);
}
