import type { OperationType } from '../figures.ts';
import type { Amount } from '../money.ts';
import type { Route } from '../routing.ts';
import type { Leg, OperationRequest, Requisites, TerminalStatus } from './events.ts';

export type Status = 'pending' | 'awaiting_confirmation' | 'manual_check' | TerminalStatus;

export type Attempt = {
  attempt: number;
  route: Route;
  /** `unresolved`: the provider may have accepted; it is owed a question or a withdrawal. */
  outcome: 'started' | 'accepted' | 'refused' | 'unresolved' | 'withdrawn';
  providerReference?: string;
};

/** What terminal events settle. */
export type SettledFigures = {
  actual_amount: Amount;
  recorded_amount?: Amount | undefined;
  settlement_amount: Amount;
  commission_amount: Amount;
};

export type Operation = {
  phase: 'admitted';
  /** Of the newest event that was folded. */
  revision: number;
  operationId: string;
  shopId: string;
  merchantId: string;
  type: OperationType;
  merchantOperationId: string;
  bodyHash: string;
  request: OperationRequest;
  acceptUntil: string;
  /** `creating`: no provider has accepted yet, and nothing of it is shown. */
  status: 'creating' | Status;
  attempts: readonly Attempt[];
  /** The attempt that a provider accepted, with what came of it. */
  accepted?: {
    attempt: number;
    requisites?: Requisites;
    expiresAt?: string;
    fxRate?: string;
    confirmationRequired: boolean;
  };
  legs: readonly Leg[];
  settled?: SettledFigures;
  declineReason?: string;
  /** Webhooks owed so far; the next one is `sequence` + 1 (contract §5). */
  webhooks: number;
};

export type OperationState = { phase: 'none'; revision: -1 } | Operation;

export const noOperation: OperationState = { phase: 'none', revision: -1 };

const terminal: ReadonlySet<string> = new Set<TerminalStatus>([
  'completed',
  'partially_completed',
  'declined',
  'expired',
  'cancelled',
]);

export const isTerminal = (status: Operation['status']): status is TerminalStatus => terminal.has(status);

export const attemptOf = (operation: Operation, attempt: number): Attempt | undefined =>
  operation.attempts.find((candidate) => candidate.attempt === attempt);

/** The route that the operation goes by: the accepted one, else the one being tried. */
export const currentRoute = (operation: Operation): Route | undefined =>
  (operation.accepted ? attemptOf(operation, operation.accepted.attempt) : operation.attempts.at(-1))?.route;
