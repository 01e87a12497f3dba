import {
  answerIsAwaited,
  type AttemptAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { CommandResult } from '#shared/platform/event-store/handle-command.ts';
import type { KeptReport } from '#shared/platform/event-store/index.ts';
import { keptInClear } from '#shared/application/personal-data/kept-report.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import type { Sealer, Sealing } from '#shared/application/personal-data/personal-data.ts';
import type { SignedReport } from '#shared/application/personal-data/kept-report.ts';

/**
 * How a report's personal data is sealed; not at all if its client was erased or the client's key
 * can't be read.
 */
export type Seals = { sealer: Sealer | undefined; unreadable?: true };

/** @throws when the key can't be read */
export async function findSeals(
  personal: Sealing,
  { shopId, request, status }: Operation,
): Promise<Seals> {
  const client = { shopId, clientId: request.client_id };
  const ended = isTerminal(status);
  try {
    return {
      sealer: ended ? await personal.sealerAfterEnd(client) : await personal.sealer(client),
    };
  } catch (error) {
    if (error instanceof KeyUnreadable) return { sealer: undefined, unreadable: true };
    throw error;
  }
}

/**
 * For a state that may be older than the operation's end: the client may have been erased since,
 * and must not get a new key.
 * @throws if the client was erased: the log has to be read first
 */
export async function findSealsThatExist(
  personal: Sealing,
  { shopId, request }: Operation,
): Promise<Seals> {
  const sealer = await personal.sealerAfterEnd({ shopId, clientId: request.client_id });
  if (!sealer) throw new Error('the client was erased');
  return { sealer };
}

/** The answer as it may be stored, if it is still awaited. */
export function sealedAnswer(
  operation: Operation,
  { attempt, answer }: { attempt: number; answer: ProviderAnswer },
  seals: Seals | undefined,
): AttemptAnswer | undefined | 'to_be_sealed' {
  if (answer.outcome !== 'accepted' || !answer.requisites) return answer;
  if (!answerIsAwaited(operation, attempt)) return undefined;
  if (!seals) return 'to_be_sealed';
  return seals.sealer?.answer({ operationId: operation.operationId, attempt }, answer);
}

/** What is stored of the callback that a report came with. */
export function callbackOf(
  operationId: string,
  signed: SignedReport | undefined,
  seals: Seals | undefined,
): KeptReport | undefined {
  if (!signed) return undefined;
  if (seals?.sealer) return seals.sealer.report(operationId, signed);
  // Money does not wait for a key that may be lost for ever (R13.15).
  return { ...keptInClear(signed), ...(seals?.unreadable && { unsealed: 'key_unreadable' }) };
}

/**
 * Decides without the key first, because most reports add nothing; else decides again with the key.
 */
export async function withSeals<State, Refusal>(
  decide: (known: State | undefined) => Promise<CommandResult<State, Refusal | 'to_be_sealed'>>,
  known: State | undefined,
  findKey: (state: State) => Promise<void>,
): Promise<CommandResult<State, Refusal>> {
  let result = await decide(known);
  if (result.outcome === 'refused' && result.refusal === 'to_be_sealed') {
    const { state } = result;
    try {
      await findKey(state);
    } catch (cause) {
      return { outcome: 'undecided', cause };
    }
    result = await decide(state);
  }
  if (result.outcome !== 'refused') return result;
  const { state, refusal } = result;
  if (refusal === 'to_be_sealed') throw new Error('what was sealed is to be sealed');
  return { outcome: 'refused', state, refusal };
}
