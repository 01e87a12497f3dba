import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { UndecidedCommand } from '#shared/platform/event-store/handle-command.ts';
import type { StoredReport } from '#shared/platform/event-store/index.ts';
import { clearReport, type SignedReport } from '#shared/application/personal-data/signed-report.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  hasPersonalData,
  type ReportSealers,
  type Sealer,
} from '#shared/application/personal-data/personal-data.ts';

/** `sealer`: undefined if the client was erased, or its key can't be read. */
type ReportKey = { sealer: Sealer | undefined; unreadable?: KeyUnreadable };

/**
 * Encrypts what one report adds to an operation, and its callback. Most reports add nothing, so the
 * client's key is read when it is first needed.
 */
export class ReportSeals {
  readonly #personal: ReportSealers;
  readonly #signed: SignedReport | undefined;
  #key: ReportKey | undefined;

  /** `signed`: the callback; undefined if the provider was polled. */
  constructor(personal: ReportSealers, signed: SignedReport | undefined) {
    this.#personal = personal;
    this.#signed = signed;
  }

  /** Whether the client's key could not be read when it was needed. */
  get unreadable(): boolean {
    return this.#key?.unreadable !== undefined;
  }

  /** The events as they may be stored. See `seal` of a command. */
  async seal(
    events: readonly OperationEvent[],
    operation: Operation,
    mayBeStale: boolean,
  ): Promise<readonly OperationEvent[] | undefined> {
    const isPersonal = events.some(hasPersonalData);
    if (!isPersonal && !this.#signed) return events;
    this.#key ??= await this.#readKey(operation, mayBeStale);
    if (!this.#key || !isPersonal) return this.#key && events;
    const { sealer, unreadable } = this.#key;
    if (!sealer) throw new UndecidedCommand(unreadable);
    return events.map((event) => sealer.event(operation.operationId, event));
  }

  /** Late facts have no personal data, but their callback has. */
  async sealLate(
    events: readonly LateEvent[],
    operation: Operation,
  ): Promise<readonly LateEvent[]> {
    if (this.#signed) this.#key ??= await this.#readKey(operation, false);
    return events;
  }

  /** What is stored of the callback. */
  callback(operationId: string): StoredReport | undefined {
    if (!this.#signed) return undefined;
    const { sealer } = this.#key ?? {};
    if (sealer) return sealer.report(operationId, this.#signed);
    // Money does not wait for a key that may be lost for ever (R13.15).
    return {
      ...clearReport(this.#signed),
      ...(this.unreadable && { unsealed: 'key_unreadable' }),
    };
  }

  /**
   * @returns undefined if there is no key, and the state may be older than the operation's end: the
   * client may have been erased since, and must not get a new key
   * @throws UndecidedCommand when the store does not answer
   */
  async #readKey(
    { shopId, request, status }: Operation,
    mayBeStale: boolean,
  ): Promise<ReportKey | undefined> {
    const client = { shopId, clientId: request.client_id };
    const afterEnd = mayBeStale || isTerminal(status);
    try {
      const sealer = afterEnd
        ? await this.#personal.sealerAfterEnd(client)
        : await this.#personal.sealer(client);
      return sealer || !mayBeStale ? { sealer } : undefined;
    } catch (error) {
      if (mayBeStale) return undefined;
      if (error instanceof KeyUnreadable) return { sealer: undefined, unreadable: error };
      throw new UndecidedCommand(error);
    }
  }
}
