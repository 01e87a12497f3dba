import type { LedgerCommand } from './commands.ts';
import type { Entry } from './events.ts';

/**
 * The key of an entry: (reference, kind). Capture and release share one key, because a reservation
 * ends once. Free text comes last, so that two references never have the same key.
 */
export function keyOfEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'reserve':
      return reserveKey(entry.operation_id, entry.reservation);
    case 'capture':
    case 'release':
      return endKey(entry.operation_id, entry.reservation);
    case 'credit':
      return `credit ${entry.operation_id}`;
    case 'suspense':
    case 'resolution':
      return lateKey(entry.kind, entry.operation_id, {
        legId: entry.leg_id,
        ofLegId: entry.of_leg_id,
      });
    case 'adjustment':
      return `adjustment ${entry.adjustment_id}`;
  }
}

/** The keys that a command's decision depends on: its own, and those of its reservation. */
export function keysOfCommand(command: LedgerCommand): readonly string[] {
  switch (command.kind) {
    case 'reserve':
    case 'capture':
    case 'release':
      return [
        endKey(command.operationId, command.reservation),
        reserveKey(command.operationId, command.reservation),
      ];
    case 'credit':
      return [`credit ${command.operationId}`];
    case 'suspense':
    case 'resolution':
      return [lateKey(command.kind, command.operationId, command)];
    case 'adjustment':
      return [`adjustment ${command.adjustmentId}`];
  }
}

/**
 * Commands with the same subject keep their order: those of one reservation, or of one other
 * reference.
 */
export const commandSubject = (command: LedgerCommand): string => keysOfCommand(command)[0] ?? '';

export const reserveKey = (operationId: string, reservation: number): string =>
  `reserve ${operationId} ${reservation}`;

export const endKey = (operationId: string, reservation: number): string =>
  `end ${operationId} ${reservation}`;

/** Returned money has keys of its own: a provider may give it the same id as its leg. */
function lateKey(
  kind: 'suspense' | 'resolution',
  operationId: string,
  { legId, ofLegId }: { legId: string; ofLegId?: string | undefined },
): string {
  return `${kind}${ofLegId === undefined ? '' : '_back'} ${operationId} ${legId}`;
}
