import {
  answerIsAwaited,
  type AttemptAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { UndecidedCommand } from '#shared/platform/event-store/handle-command.ts';
import type { StoredReport } from '#shared/platform/event-store/index.ts';
import { clearReport, type SignedReport } from '#shared/application/personal-data/signed-report.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import type { Sealer, ReportSealers } from '#shared/application/personal-data/personal-data.ts';

/** `sealer`: undefined if the client was erased, or its key can't be read. */
type Seals = { sealer: Sealer | undefined; unreadable?: true };

/**
 * Seals the personal data of one report. Most reports add nothing to an operation, so the client's
 * key is read when it is first needed.
 */
export class ReportSeals {
  readonly #personal: ReportSealers;
  readonly #signed: SignedReport | undefined;
  #seals: Seals | undefined;

  /** `signed`: the callback; undefined if the provider was polled. */
  constructor(personal: ReportSealers, signed: SignedReport | undefined) {
    this.#personal = personal;
    this.#signed = signed;
  }

  /** Whether the client's key could not be read when it was needed. */
  get unreadable(): boolean {
    return this.#seals?.unreadable === true;
  }

  /**
   * Reads the key if storing these events, or this answer, needs it.
   * @returns false if the newest events of the operation have to be read first
   * @throws UndecidedCommand when the store does not answer
   */
  async readyFor(
    operation: Operation,
    needs: { answer: { attempt: number; answer: ProviderAnswer } } | { events: readonly object[] },
    mayBeStale: boolean,
  ): Promise<boolean> {
    const needed =
      'answer' in needs
        ? hasRequisites(needs.answer.answer) && answerIsAwaited(operation, needs.answer.attempt)
        : needs.events.length > 0 && this.#signed !== undefined;
    if (!needed || this.#seals) return true;
    try {
      this.#seals = mayBeStale
        ? await existing(this.#personal, operation)
        : await read(this.#personal, operation);
    } catch (cause) {
      if (!mayBeStale) throw new UndecidedCommand(cause);
    }
    return this.#seals !== undefined;
  }

  /** The answer as it may be stored; undefined if none is awaited, or it can't be sealed. */
  answer(
    operation: Operation,
    { attempt, answer }: { attempt: number; answer: ProviderAnswer },
  ): AttemptAnswer | undefined {
    if (!hasRequisites(answer)) return answer;
    if (!answerIsAwaited(operation, attempt)) return undefined;
    return this.#seals?.sealer?.answer({ operationId: operation.operationId, attempt }, answer);
  }

  /** What is stored of the callback. */
  callback(operationId: string): StoredReport | undefined {
    if (!this.#signed) return undefined;
    const { sealer } = this.#seals ?? {};
    if (sealer) return sealer.report(operationId, this.#signed);
    // Money does not wait for a key that may be lost for ever (R13.15).
    return {
      ...clearReport(this.#signed),
      ...(this.unreadable && { unsealed: 'key_unreadable' }),
    };
  }
}

const hasRequisites = (answer: ProviderAnswer): boolean =>
  answer.outcome === 'accepted' && answer.requisites !== undefined;

/** @throws when the key can't be read now */
async function read(
  personal: ReportSealers,
  { shopId, request, status }: Pick<Operation, 'shopId' | 'request' | 'status'>,
): Promise<Seals> {
  const client = { shopId, clientId: request.client_id };
  try {
    const sealer = isTerminal(status)
      ? await personal.sealerAfterEnd(client)
      : await personal.sealer(client);
    return { sealer };
  } catch (error) {
    if (error instanceof KeyUnreadable) return { sealer: undefined, unreadable: true };
    throw error;
  }
}

/**
 * For a state that may be older than the operation's end: the client may have been erased since,
 * and must not get a new key.
 */
async function existing(
  personal: ReportSealers,
  { shopId, request }: Operation,
): Promise<Seals | undefined> {
  const sealer = await personal.sealerAfterEnd({ shopId, clientId: request.client_id });
  return sealer && { sealer };
}
