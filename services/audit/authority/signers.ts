import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { AuditContext } from '../log/pass/context.ts';
import { whatIsDone } from './commands.ts';

type Signer = {
  /** The kinds of actors whose requests it takes, besides itself. */
  for: readonly string[];
  /** What it writes in its own name: ledger entries by kind, statements by source. */
  own: readonly string[];
};

/** Whoever appends first records the key that all services share. */
const ofAll = ['LogKeyBegan', 'LogKeyRequired'];
/** What the creation of a payout of a file appends. */
const creation = [
  'OperationAdmitted',
  'OperationCancelledBeforeCreate',
  'AttemptStarted',
  'AttemptAccepted',
  'AttemptRefused',
  'AttemptUnresolved',
  'RoutesSkipped',
  'ReservationRequested',
  'FundsReserved',
  'OperationDeclined',
  'EntryPosted reserve',
];
/** What a provider that is polled about an attempt leads to. */
const polled = [
  'AttemptAccepted',
  'AttemptRefused',
  'AttemptUnresolved',
  'AttemptWithdrawn',
  'LegReceived',
  'LegCorrected',
  'LegReturned',
  'ManualCheckStarted',
  'OperationCompleted',
  'OperationPartiallyCompleted',
  'OperationDeclined',
  'OperationExpired',
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'MoneyReturned',
  'DifferenceReported',
  'LateLegCorrected',
  'LateStatusReported',
];
/** The entries of an end, which each service that shows the end posts. */
const settling = ['EntryPosted credit', 'EntryPosted capture', 'EntryPosted release'];

/**
 * What the key of each service may sign, so that a stolen one plants no more than its service could
 * write.
 */
export const signerRules: Readonly<Record<string, Signer>> = {
  'merchant-api': {
    for: ['merchant', 'provider'],
    own: [
      ...creation,
      ...settling,
      'PayoutBatchRowsCreated',
      'PayoutBatchFinished',
      'ProviderBreakerOpened',
      'ProviderBreakerClosed',
      'PersonalKeyCreated',
      'ApiKeyUsed',
      'SetupChanged',
      'CheckpointRequested',
    ],
  },
  'payment-page': { for: ['payer', 'provider'], own: [] },
  processor: {
    for: ['provider'],
    own: [
      ...polled,
      ...settling,
      'EntryPosted suspense',
      'ReceiptSubmitted',
      'PayoutOvercharged',
      'PersonalKeyCreated',
      'StatementLinesRead',
      'StatementImported provider',
    ],
  },
  admin: {
    for: ['operator'],
    own: [
      ...polled,
      ...settling,
      'EntryPosted suspense',
      'EvidenceMaterialised',
      'PersonalKeyCreated',
      'SetupChanged',
    ],
  },
  portal: {
    for: ['member'],
    own: [...settling, 'PersonalKeyCreated', 'SetupChanged', 'CheckpointRequested'],
  },
  webhooks: {
    for: [],
    own: [...settling, 'WebhookDisabled', 'WebhookFailing', 'WebhookRecovered', 'SetupChanged'],
  },
  projections: { for: [], own: ['CheckpointSigned', 'CheckpointKeyAdded', 'CheckpointKeyRetired'] },
  audit: { for: ['auditor'], own: ['AuditRan', 'AuditFailed'] },
  move: { for: [], own: ['LogClosed', 'LogReopened', 'LogMoved'] },
};

/**
 * The version of entries since which the service that requests one signs it. An older one may be
 * signed by any service that posts entries, because they share ledgers in a process.
 */
const signedByRequester = 4;
const posting: ReadonlySet<string> = new Set(
  Object.entries(signerRules).flatMap(([service, { own }]) =>
    own.some((what) => what.startsWith('EntryPosted ')) ? [service] : [],
  ),
);

/** Checks that the service whose key has signed an event may write it. */
export function judgeSigner(
  context: Pick<AuditContext, 'report' | 'entities'>,
  envelope: EventEnvelope,
  shopId: string | undefined,
): void {
  const { signer, actor } = envelope;
  if (signer === undefined) return;
  const why = maySign(signer, envelope) ? whyNotAnswered(signer, envelope, context) : '';
  if (why === undefined) return;
  const message = `the key of ${signer} signs ${whatIsDone(envelope)} of ${actor}${why}`;
  createFlag(context, envelope, shopId)('authority.signer', message);
}

function maySign(service: string, envelope: EventEnvelope): boolean {
  const { type, actor, metadata } = envelope;
  if (type === 'EntryPosted' && metadata.schema_version < signedByRequester)
    return posting.has(service);
  const signer = Object.hasOwn(signerRules, service) ? signerRules[service] : undefined;
  if (!signer) return false;
  if (actor !== `service:${service}`) return signer.for.includes(actor.split(':', 1)[0] ?? '');
  return ofAll.includes(type) || signer.own.includes(whatIsDone(envelope));
}

/** Only the processor takes callbacks. The others submit receipts, and get answers to these. */
function whyNotAnswered(
  service: string,
  { actor, report, event: { stream } }: EventEnvelope,
  { entities }: Pick<AuditContext, 'entities'>,
): string | undefined {
  if (service === 'processor' || !actor.startsWith('provider:')) return undefined;
  if (report) return ', with a callback';
  const { operation } = entities.of(stream.slice(stream.indexOf('-') + 1));
  return operation && operation.receipts.length > 0 ? undefined : ', before any receipt';
}
