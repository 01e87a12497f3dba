import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import type { Random } from '#infra/verify/harness/random.ts';

/** One webhook that came. Moments count what happens at the sink. */
export type Arrival = {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly operationId: string;
  readonly operation: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly arrivedAt: number;
  /** By `performance.now()`. */
  readonly arrivedAtMs: number;
  /** How long ago what it tells of had happened, milliseconds. */
  readonly lateMs: number;
  /** When 2xx was answered, should it have been. */
  takenAt: number | undefined;
};

export type Sink = {
  /** The endpoint of a shop. */
  urlOf(shop: number): string;
  setSecret(shop: number, secret: string): void;
  readonly arrivals: readonly Arrival[];
  /** What came without a valid signature. */
  readonly faults: readonly string[];
  close(): Promise<void>;
};

/** One answer in so many is a failure, and each takes up to so long: something always waits. */
const failureIn = 12;
const slowestAnswerMs = 60;

/** The endpoints of all shops: they believe what they have verified, and refuse something now and then. */
export async function openSink(random: Random): Promise<Sink> {
  const arrivals: Arrival[] = [];
  const faults: string[] = [];
  const secrets = new Map<string, string>();
  let clock = 0;
  const server = createServer((request, response) => {
    const receive = async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString('utf8');
      const header = (name: string) => request.headers[name]?.toString();
      const path = request.url ?? '';
      const verdict = verifyWebhook({ header, body }, secrets.get(path) ?? '');
      if (!verdict.valid) {
        faults.push(`${path}: ${verdict.code}`);
        response.writeHead(401).end();
        return;
      }
      const message = JSON.parse(body) as {
        type: string;
        sequence: number;
        timestamp: string;
        data: { operation: Record<string, unknown> & { operation_id: string } };
      };
      const arrival: Arrival = {
        id: verdict.id,
        type: message.type,
        sequence: message.sequence,
        operationId: message.data.operation.operation_id,
        operation: message.data.operation,
        body,
        arrivedAt: (clock += 1),
        arrivedAtMs: performance.now(),
        lateMs: Date.now() - Date.parse(message.timestamp),
        takenAt: undefined,
      };
      arrivals.push(arrival);
      const taken = random.below(failureIn) > 0;
      setTimeout(() => {
        if (taken) arrival.takenAt = clock += 1;
        response.writeHead(taken ? 204 : 500).end();
      }, random.below(slowestAnswerMs));
    };
    // A sender that dies while it sends is one of the things that happen here.
    receive().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (shop) => `http://127.0.0.1:${port}/${shop}`,
    setSecret: (shop, secret) => void secrets.set(`/${shop}`, secret),
    arrivals,
    faults,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
