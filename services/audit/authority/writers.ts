import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { EntityStore } from '../log/entities/entity-store.ts';
import type { AuditContext } from '../log/pass/context.ts';
import { auditedRoute } from '../log/operation/fold.ts';
import { commands, whatIsDone } from './commands.ts';

/** A kind of actor. Operators are covered by `commands` and `consequences`. */
type Writer = 'merchant' | 'member' | 'payer' | 'provider' | 'service' | 'auditor';

const all =
  (...kinds: readonly Writer[]) =>
  (...types: readonly string[]) =>
    types.map((type): [string, readonly Writer[]] => [type, kinds]);

/** Which actors may write an event of each type. Operators have their own table; others may not. */
export const writers: ReadonlyMap<string, readonly Writer[]> = new Map([
  ...all('merchant')('OperationCancelled'),
  // A service creates the payouts of a batch, and claims the keys of rows that failed.
  ...all('merchant', 'service')('OperationAdmitted', 'OperationCancelledBeforeCreate'),
  ...all('merchant')('PayoutBatchRowsStored', 'PayoutBatchChecked', 'PayoutBatchConfirmed'),
  ...all('service')('PayoutBatchRowsCreated', 'PayoutBatchFinished'),
  ...all('merchant', 'payer')('ReceiptUploaded'),
  // A file that is not a PDF goes to manual check as soon as it is uploaded.
  ...all('merchant', 'payer', 'provider', 'service')('ManualCheckStarted'),
  // A create request tries the routes itself; a service finishes what the request left.
  ...all('merchant', 'service')(
    'AttemptStarted',
    'RoutesSkipped',
    'ReservationRequested',
    'FundsReserved',
    'AttemptUnresolved',
    'EvidenceMaterialised',
    'EntryPosted reserve',
    'EntryPosted release',
  ),
  ...all('merchant', 'provider', 'service')(
    'AttemptAccepted',
    'AttemptRefused',
    'OperationDeclined',
  ),
  // A service learns the same when it polls the provider.
  ...all('provider', 'service')(
    'LegReceived',
    'LegCorrected',
    'LegReturned',
    'ReceiptSubmitted',
    'OperationCompleted',
    'OperationPartiallyCompleted',
    'OperationExpired',
    'LateMoneyReceived',
    'ApprovedMoneyConfirmed',
    'MoneyReturned',
    'DifferenceReported',
    'LateLegCorrected',
    'LateStatusReported',
  ),
  ...all('service')(
    'AttemptWithdrawn',
    'PayoutOvercharged',
    'EntryPosted credit',
    'EntryPosted capture',
    'EntryPosted suspense',
    'PersonalKeyCreated',
    'ApiKeyUsed',
    'LogClosed',
    'LogReopened',
    'LogMoved',
    'LogKeyBegan',
    'LogKeyRequired',
    'ProviderBreakerOpened',
    'ProviderBreakerClosed',
    'StatementLinesRead',
    'StatementImported provider',
    'CheckpointSigned',
    'CheckpointRequested',
    'CheckpointKeyAdded',
    'CheckpointKeyRetired',
  ),
  ...all('merchant')('WebhookConfigured', 'WebhookSecretIssued', 'WebhookEndpointDeleted'),
  // A key's change of its shop's endpoints is announced to every process.
  ...all('merchant', 'service')('WebhookDisabled', 'SetupChanged'),
  ...all('service')('WebhookFailing', 'WebhookRecovered'),
  ...all('member')('MemberSignedIn'),
  ...all('service', 'auditor')('AuditRan', 'AuditFailed'),
]);

/** Checks that an event's actor may write it. A provider may only write about its own attempts. */
export function judgeWriter(
  context: Pick<AuditContext, 'report' | 'entities' | 'payoutFiles'>,
  envelope: EventEnvelope,
  shopId: string | undefined,
): void {
  const kind = envelope.actor.slice(0, envelope.actor.indexOf(':'));
  const what = whatIsDone(envelope);
  // Operators and members are checked by their tokens and roles.
  const command = commands.get(what);
  if (kind === 'operator' || kind === 'member' || (command && !command.alsoByItself)) return;
  const message = writers.get(what)?.includes(kind as Writer)
    ? (whyNotItsProviders(context.entities, envelope) ?? whyNoBatch(context, envelope, shopId))
    : `${envelope.actor} may not write ${what}`;
  createFlag(context, envelope, shopId)('authority.actor', message);
}

/** A service begins only payouts of a file that the shop has confirmed, or claims their keys. */
function whyNoBatch(
  { payoutFiles }: Pick<AuditContext, 'payoutFiles'>,
  { type, data, actor, causationId = '' }: EventEnvelope,
  shopId: string | undefined,
): string | undefined {
  if (!actor.startsWith('service:')) return undefined;
  const isClaim = type === 'OperationCancelledBeforeCreate';
  if (type !== 'OperationAdmitted' && !isClaim) return undefined;
  const isOfFile = isClaim || (data as { type?: unknown }).type === 'payout';
  return isOfFile && shopId !== undefined && payoutFiles.shopOf(causationId) === shopId
    ? undefined
    : `${actor} begins what is in no file of payouts that the shop has confirmed`;
}

/** A provider may only report on attempts whose route names it. */
function whyNotItsProviders(
  entities: EntityStore,
  { actor, event, data }: EventEnvelope,
): string | undefined {
  if (!actor.startsWith('provider:')) return undefined;
  const { operation } = entities.of(event.stream.slice(event.stream.indexOf('-') + 1));
  if (!operation) return `${actor} reports an unknown operation`;
  const { attempt: number, provider: reportedProvider } = data as {
    attempt?: number;
    provider?: string;
  };
  const attempt =
    number === undefined
      ? auditedRoute(operation)
      : operation.attempts.find((each) => each.attempt === number);
  const named = attempt && `provider:${attempt.provider}`;
  if (named !== actor) return `${actor} reports an attempt with ${named ?? 'no provider'}`;
  return reportedProvider === undefined || `provider:${reportedProvider}` === actor
    ? undefined
    : `${actor} reports for provider ${reportedProvider}`;
}
