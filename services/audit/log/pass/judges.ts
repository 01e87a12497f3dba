import { reportViolation, type Seen } from '../../report/findings/report-violation.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import type { Books } from '../../money/ledger/books.ts';
import { judgeAdjustment } from '../../money/ledger/judge-adjustment.ts';
import { judgeEvidence } from '../operation/judge-evidence.ts';
import { judgeLate } from '../operation/judge-late.ts';
import { judgeOpenLate } from '../operation/judge-open-late.ts';
import { judgeOperation } from '../operation/judge-operation.ts';
import { judgePersonal, judgeSealed } from '../personal/judge-personal.ts';
import type { Context } from './context.ts';
import { createSetupStreams } from './setup-streams.ts';
import type { Figures } from './shop-figures.ts';
import { isPassing } from './truncation.ts';

/** Checks an event and applies it to what is known of its stream. */
export type Judge = (context: Context, seen: Seen) => void;
export type Judges = ReadonlyMap<string, Judge>;
type EntityJudge = (context: Context, entity: AuditedEntity, seen: Seen) => void;
type Counts = Pick<Figures, 'operations' | 'entries'>;

/**
 * By the part of the stream's name before the first hyphen. They count operations and entries in
 * `counts`.
 */
export function createJudges(books: Books, counts: Counts): Judges {
  const inOrder = createInOrder();
  const setup = createSetupStreams();
  const takeShop: Judge = (context, seen) => {
    context.shops.take(seen, context);
    if (seen.type === 'ShopCreated')
      context.trees.shop(seen.event.stream.slice('shop-'.length), seen, context);
  };
  return new Map<string, Judge>([
    ['operation', operationJudge(counts)],
    ['ledger', inOrder(entryJudge(books, counts))],
    ['receipts', judgingEntity('receipts', judgeEvidence)],
    ['late', judgingEntity('late', takeLate)],
    ['adjustment', inOrder(takeAdjustment)],
    ['shop', inOrder(takeShop)],
    ['merchant', inOrder(takeShop)],
    ['directory', inOrder(setup.directory)],
    ['operators', inOrder(setup.operators)],
    ['provider', inOrder(setup.provider)],
    ['statement', inOrder(setup.statement)],
    ['payout', inOrder(setup.payoutBatch)],
    ['audit', inOrder(setup.audit)],
    ['log', inOrder(setup.log)],
    ['api', inOrder(setup.keyUse)],
    ['checkpoints', inOrder((context, seen) => context.trees.checkpoint(context, seen))],
    ['checkpoint', inOrder((context, seen) => context.trees.key(context, seen))],
    ['members', inOrder(() => undefined)],
    ['webhook', inOrder(setup.webhookCommands)],
    ['personal', judgePersonal],
  ]);
}

function operationJudge(counts: Counts): Judge {
  const judge = judgingEntity('operation', (context, entity, seen) => {
    if (seen.event.revision === 0) counts.operations += 1;
    judgeOperation(context, entity, seen);
  });
  return (context, seen) => {
    judge(context, seen);
    // Last: it loads another entity, which may spill this one.
    judgeSealed(context, seen);
  };
}

const entryJudge =
  (books: Books, counts: Counts): Judge =>
  (context, seen) => {
    counts.entries += 1;
    books.take(seen, context);
  };

const takeLate: EntityJudge = (context, entity, seen) => {
  judgeLate(context, entity, seen);
  judgeOpenLate(context, entity, seen);
};

const takeAdjustment: Judge = (context, seen) =>
  judgeAdjustment(context, context.entities.of(seen.event.stream), seen);

/** For the streams of an operation, whose entity has their revisions. */
const judgingEntity =
  (stream: 'operation' | 'late' | 'receipts', judge: EntityJudge): Judge =>
  (context, seen) => {
    const entity = context.entities.of(seen.event.stream.slice(stream.length + 1));
    checkRevision(context, seen, entity.revisions[stream]);
    entity.revisions[stream] = seen.event.revision;
    judge(context, entity, seen);
  };

/** For streams without an entity, such as ledgers and shops. */
function createInOrder(): (judge: Judge) => Judge {
  const revisions = new Map<string, number>();
  return (judge) => (context, seen) => {
    const { stream, revision } = seen.event;
    // A stream that keeps only its newest event has lost the older ones.
    const known = revisions.get(stream);
    if (!isPassing(stream) || known !== undefined) checkRevision(context, seen, known);
    revisions.set(stream, revision);
    judge(context, seen);
  };
}

function checkRevision(context: Context, seen: Seen, before: number | undefined): void {
  const expected = (before ?? -1) + 1;
  if (seen.event.revision === expected) return;
  reportViolation(context, seen, {
    rule: 'log.revision_gap',
    message: `revision ${seen.event.revision} follows where ${expected} is expected`,
  });
}
