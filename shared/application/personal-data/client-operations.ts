import { personalParts } from '#shared/domain/operation/fields/request.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { ShopClient } from '#shared/application/personal-data/keys.ts';
import { readKeyId } from '#shared/application/personal-data/sealed-value.ts';

/** One of the client's operations, as the read models list it. */
type ListedOperation = { operationId: string; ended: boolean };

/** What an erasure reads of the read models. Each throws when they can't be queried. */
export type ErasureModels = {
  /** The client's operations, newest first, page by page. */
  listOperations(client: ShopClient): AsyncIterable<readonly ListedOperation[]>;
  /** Whether they lack events of the log: these could be operations of the client. */
  areBehind(): Promise<boolean>;
};

/** The client's operations that an erasure covers. */
type FoundOperations = {
  /** The operations whose personal data is destroyed. */
  operations: readonly Operation[];
  /** How many still need it. */
  open: number;
  /** How many have personal data from before there were keys. */
  inClear: number;
};

const readsAtOnce = 16;

/**
 * The operations that a key's erasure covers, from the log: those sealed with it, and those not
 * sealed with any other key. The client's operations after an erasure have a later key, and are
 * left out.
 * @throws when a store does not answer
 */
export async function findClientOperations(
  { models, store }: { models: ErasureModels; store: EventStore },
  client: ShopClient,
  keyId: string,
): Promise<FoundOperations> {
  const operations: Operation[] = [];
  for await (const page of models.listOperations(client)) {
    for (let from = 0; from < page.length; from += readsAtOnce) {
      const some = page.slice(from, from + readsAtOnce);
      const read = await Promise.all(some.map((each) => readListed(store, each)));
      operations.push(...read.filter((each) => isSealedWith(each, keyId)));
    }
  }
  return {
    operations,
    open: operations.filter(({ status }) => !isTerminal(status)).length,
    inClear: operations.filter((each) => hasClear(each)).length,
  };
}

async function readListed(store: EventStore, { operationId }: ListedOperation): Promise<Operation> {
  const operation = await readOperation(store, operationId);
  if (!operation)
    throw new Error(`the log does not show operation ${operationId}, which was listed`);
  return operation;
}

const listPersonalValues = ({ request, accepted }: Operation) => [
  ...personalParts(request).map(({ value }) => value),
  ...(accepted?.requisites ? [accepted.requisites] : []),
];

function isSealedWith(operation: Operation, keyId: string): boolean {
  const keys = listPersonalValues(operation).flatMap((each) =>
    typeof each === 'object' && 'sealed' in each ? [readKeyId(each.sealed)] : [],
  );
  const { bodyHash } = operation;
  if ('rest' in bodyHash && bodyHash.personal) keys.push(bodyHash.personal.key_id);
  return keys.length === 0 || keys.includes(keyId);
}

const hasClear = (operation: Operation): boolean =>
  listPersonalValues(operation).some((each) => typeof each === 'string' || !('sealed' in each)) ||
  isGuessable(operation);

/**
 * A bare hash covers the number and the address: a reader of the log could find them by brute
 * force.
 */
const isGuessable = ({ bodyHash, request }: Operation): boolean =>
  'whole' in bodyHash && (request.client_ip !== undefined || request.destination !== undefined);
