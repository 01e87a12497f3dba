import type { Sink } from '../../sink.ts';
import type { PaymentLoad } from '../load.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { RestartableWebhookService } from '../webhook-service.ts';

/** The context of a row of the matrix: its own merchant, under load. */
export type RowContext = {
  service: RestartableWebhookService;
  load: PaymentLoad;
  endpoint: Sink;
  random: Random;
  shopId: string;
  /** Called for each fault. */
  fault(name: string): void;
  /** Records which messages are claimed now, after a kill of the dispatcher. */
  noteInFlight(): Promise<void>;
};

/** One kind of fault, made once a round. The row leaves everything running. */
export type CrashRow = {
  name: string;
  begin?(context: RowContext): Promise<void>;
  round(context: RowContext): Promise<void>;
  end?(context: RowContext): Promise<void>;
};

/** The longest random pause, so that faults come at any time. */
export const longestDelayMs = 250;
/** Operations between one step of a fault and the next. */
export const fewOperations = 8;
