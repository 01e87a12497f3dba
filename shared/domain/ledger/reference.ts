import type { LedgerCommand } from './commands.ts';
import type { Entry } from './events.ts';

/**
 * What an entry is known by: (reference, kind). Capture and release share one key, because a reservation ends once. The
 * free text comes last, so that no two references spell the same key.
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
      return lateKey(entry.kind, entry.operation_id, { legId: entry.leg_id, ofLegId: entry.of_leg_id });
    case 'adjustment':
      return `adjustment ${entry.adjustment_id}`;
  }
}

/** The keys that a command's decision rests on: its own, and those of the reservation that it is about. */
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

/** What a command is about: those of one reservation, or of one other reference, keep their order. */
export const subjectOf = (command: LedgerCommand): string => keysOfCommand(command)[0] ?? '';

export const reserveKey = (operationId: string, reservation: number): string =>
  `reserve ${operationId} ${reservation}`;

export const endKey = (operationId: string, reservation: number): string =>
  `end ${operationId} ${reservation}`;

/** What went back has keys of its own: a provider may call it as it calls the leg. */
function lateKey(
  kind: 'suspense' | 'resolution',
  operationId: string,
  { legId, ofLegId }: { legId: string; ofLegId?: string | undefined },
): string {
  return `${kind}${ofLegId === undefined ? '' : '_back'} ${operationId} ${legId}`;
}
