import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { whatIsDone } from './commands.ts';

type Signer = {
  /** The kinds of actors whose requests it takes, besides itself. */
  for: readonly string[];
  /** The types that it alone writes in its own name. */
  alone?: readonly string[];
  /** All types that it writes in its own name; absent: whatever a service may, but those. */
  only?: readonly string[];
};

const audits = ['AuditRan', 'AuditFailed'];
const moves = ['LogClosed', 'LogReopened', 'LogMoved'];
/** Whoever appends first records the key that all services share. */
const ofAll = ['LogKeyBegan', 'LogKeyRequired'];
/** What the creation of a payout of a file appends. */
const creation = [
  'OperationAdmitted',
  'AttemptStarted',
  'AttemptAccepted',
  'AttemptRefused',
  'AttemptUnresolved',
  'RoutesSkipped',
  'ReservationRequested',
  'FundsReserved',
  'OperationDeclined',
];
const checkpoints = ['CheckpointSigned', 'CheckpointKeyAdded', 'CheckpointKeyRetired'];

/**
 * What the key of each service may sign, so that a stolen one plants no more than its service could
 * write. Those that call providers take what these report.
 */
export const signerRules: Readonly<Record<string, Signer>> = {
  'merchant-api': {
    for: ['merchant', 'provider'],
    only: [
      ...creation,
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
  'payment-page': { for: ['payer', 'provider'], only: [] },
  processor: { for: ['provider'] },
  admin: { for: ['operator', 'provider'] },
  portal: { for: ['member'], only: ['PersonalKeyCreated', 'SetupChanged', 'CheckpointRequested'] },
  webhooks: {
    for: [],
    only: ['WebhookDisabled', 'WebhookFailing', 'WebhookRecovered', 'SetupChanged'],
  },
  projections: { for: [], alone: checkpoints, only: checkpoints },
  audit: { for: ['auditor'], alone: audits, only: audits },
  move: { for: [], alone: moves, only: moves },
};

/**
 * Services that post entries. They share ledgers in a process, so one signs the entries of another:
 * what an entry may be is decided by its cause, whoever posts it.
 */
const posting = ['merchant-api', 'processor', 'admin', 'portal', 'webhooks'];
const reserved = new Set(Object.values(signerRules).flatMap(({ alone = [] }) => alone));

/** Checks that the service whose key has signed an event may write it. */
export function judgeSigner(
  context: { report: Report },
  envelope: EventEnvelope,
  shopId: string | undefined,
): void {
  const { signer } = envelope;
  if (signer === undefined || maySign(signer, envelope)) return;
  const message = `the key of ${signer} signs ${whatIsDone(envelope)} of ${envelope.actor}`;
  createFlag(context, envelope, shopId)('authority.signer', message);
}

function maySign(service: string, { type, actor }: EventEnvelope): boolean {
  if (type === 'EntryPosted') return posting.includes(service);
  const signer = Object.hasOwn(signerRules, service) ? signerRules[service] : undefined;
  if (!signer) return false;
  if (actor !== `service:${service}`) return signer.for.includes(actor.split(':', 1)[0] ?? '');
  return ofAll.includes(type) || (signer.only?.includes(type) ?? !reserved.has(type));
}
