import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import type { Random } from '#infra/verify/harness/random.ts';

/** One request that came to the endpoint. */
export type Arrival = {
  id: string;
  operationId: string;
  sequence: number;
  /** Counts what happens at the endpoint: when it came, and when 2xx was answered, should it have been. */
  arrivedAt: number;
  /** From then on the merchant has it, whether the gateway has read the answer or not. */
  takenAt: number | undefined;
};

export type Endpoint = {
  url: string;
  secret: string;
  arrivals: Arrival[];
  /** What came without a valid signature, or with other bytes than before. */
  faults: string[];
  /** Leaves every answer out until it is told otherwise; those that wait then are dropped. */
  hold(held: boolean): void;
  held(): number;
  close(): Promise<void>;
};

/** One answer in so many is a failure, so that something always waits for a retry. */
const failureIn = 9;
/** Answers take up to so long, so that something is always under way. */
const slowestAnswerMs = 40;

/** A merchant's endpoint that believes only what it has verified, and refuses something now and then. */
export async function openEndpoint(random: Random): Promise<Endpoint> {
  const open = new Set<ServerResponse>();
  const bodies = new Map<string, string>();
  let holding = false;
  let clock = 0;
  const endpoint: Endpoint = {
    url: '',
    secret: '',
    arrivals: [],
    faults: [],
    hold: (held) => {
      holding = held;
      if (held) return;
      for (const response of open) response.socket?.destroy();
      open.clear();
    },
    held: () => open.size,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const header = (name: string) => request.headers[name]?.toString();
      const verdict = verifyWebhook({ header, body }, endpoint.secret);
      if (!verdict.valid) {
        endpoint.faults.push(verdict.code);
        response.writeHead(401).end();
        return;
      }
      const message = JSON.parse(body) as {
        sequence: number;
        data: { operation: { operation_id: string } };
      };
      const { id } = verdict;
      if ((bodies.get(id) ?? body) !== body) endpoint.faults.push(`${id} came with other bytes`);
      bodies.set(id, body);
      const { operation } = message.data;
      const arrival: Arrival = {
        id,
        operationId: operation.operation_id,
        sequence: message.sequence,
        arrivedAt: (clock += 1),
        takenAt: undefined,
      };
      endpoint.arrivals.push(arrival);
      if (holding) {
        open.add(response);
        return;
      }
      const taken = random.below(failureIn) > 0;
      setTimeout(() => {
        if (taken) arrival.takenAt = clock += 1;
        response.writeHead(taken ? 204 : 500).end();
      }, random.below(slowestAnswerMs));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return endpoint;
}
