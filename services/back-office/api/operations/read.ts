import { projectOperation } from '#projections/operations/project.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { openedFields, personalParts } from '#shared/domain/operation/fields/request.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import {
  foldStored,
  type EventMetadata,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readOperationEvents } from '#shared/application/operations/read-events.ts';
import { operations } from '#shared/application/operations/streams.ts';
import type { DisclosedPart } from '../../frame/access-log.ts';
import type { OperatorIdentity } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { maskNumbers } from './mask.ts';
import { viewForOperators } from './view.ts';

/** The events with personal data. An event that this version does not know is shown as it is. */
const mayBePersonal: ReadonlySet<string> = new Set(['OperationAdmitted', 'AttemptAccepted']);

/**
 * The same with personal data decrypted, or `erasedMark` if it is erased. The reader is logged.
 * @throws Problem operation_not_found; not_ready when it can't be read
 */
export async function readOpened(
  dependencies: Pick<AdminDependencies, 'store' | 'personal' | 'accessLog'>,
  operationId: string,
  by: { operator: OperatorIdentity; shown?: DisclosedPart },
): Promise<StoredEvent[]> {
  const events = await readOperationEvents(dependencies.store, operationId);
  return openEvents(dependencies, events, { operationId, ...by });
}

/** The same of events that were read before. @throws Problem not_ready when a key can't be read */
export async function openEvents(
  { personal, accessLog }: Pick<AdminDependencies, 'personal' | 'accessLog'>,
  events: readonly StoredEvent[],
  {
    operationId,
    operator,
    shown = 'operation',
  }: { operationId: string; operator: OperatorIdentity; shown?: DisclosedPart },
): Promise<StoredEvent[]> {
  const opened = await fromStore(
    Promise.all(
      events.map(async (event) => {
        if (!mayBePersonal.has(event.type)) return event;
        const { data } = await personal.openEvent(
          operationId.toLowerCase(),
          decodeOperationEvent(event),
        );
        return { ...event, data };
      }),
    ),
  );
  accessLog.saw(operator, { operationId: operationId.toLowerCase(), shown });
  return opened;
}

/** The operation's method; undefined if there is only a cancellation. */
export function findMethod(events: readonly StoredEvent[]): string | undefined {
  const state = foldStored(operations, events);
  return state.phase === 'admitted' ? state.request.method : undefined;
}

/**
 * What a provider reported after the operation's end (R13.7). @throws Problem not_ready when it
 * can't be read
 */
export async function readLateEvents(
  store: EventStore,
  operationId: string,
): Promise<StoredEvent[]> {
  return fromStore(store.read(lateStream(operationId.toLowerCase())));
}

/** An event's metadata without the signed callback, which only an auditor with the keys can use. */
export function shownMetadata({ report, ...metadata }: EventMetadata): EventMetadata {
  if (!report) return metadata;
  const { sealed: _, ...shown } = report;
  return { ...metadata, report: shown };
}

/** Whether an operation still has sealed values after its events were opened. */
export const isErased = ({ request, accepted }: Operation): boolean =>
  [...personalParts(request).map(({ value }) => value), accepted?.requisites].some(
    (each) => typeof each === 'object' && 'sealed' in each,
  );

/**
 * The operation made from its opened events, as operators see it.
 * @throws Problem operation_not_found
 */
export function showOperation(events: readonly StoredEvent[]): unknown {
  const row = events.reduce<OperationRow | undefined>(projectOperation, undefined);
  const state = foldStored(operations, events);
  if (!row || state.phase !== 'admitted') throw new Problem('operation_not_found');
  const { number, name, bankname, bankname_details, transfer_purpose } = viewOperation(state) ?? {};
  const requisites = { number, name, bankname, bankname_details, transfer_purpose };
  const shown = {
    ...viewForOperators(row),
    ...requisites,
    ...(isErased(state) && { personal_data: 'erased' }),
    legs: state.legs,
  };
  return {
    ...(maskNumbers(shown, state.request.method) as object),
    ...openedFields(state.request),
  };
}
