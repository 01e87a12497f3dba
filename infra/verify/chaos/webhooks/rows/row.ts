import type { Sink } from '../../sink.ts';
import type { Load } from '../load.ts';
import type { Random } from '#infra/verify/harness/random.ts';
import type { WebhookService } from '../webhook-service.ts';

/** What a row of the matrix has to work with: a merchant of its own, under load. */
export type RowContext = {
  service: WebhookService;
  load: Load;
  endpoint: Sink;
  random: Random;
  shopId: string;
  /** Called for each fault. */
  fault(name: string): void;
  /** Keeps which messages are claimed now: the dispatcher was just killed. */
  noteInFlight(): Promise<void>;
};

/** One kind of fault; it is made once a round; the whole row leaves everything running. */
export type CrashRow = {
  name: string;
  begin?(context: RowContext): Promise<void>;
  round(context: RowContext): Promise<void>;
  end?(context: RowContext): Promise<void>;
};

/** Pauses of up to so long, so that faults come at any time. */
export const longestDelayMs = 250;
/** Operations between one step of a fault and the next. */
export const fewOperations = 8;
