import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { fetchShared } from '#infra/verify/harness/stacks/shared-stack.ts';
import type { Answer, Json } from './answer.ts';
import { readApiDocument } from './documented.ts';
import type { Target } from './stack.setup.ts';
import { problemFaults } from './problem.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

type Request = {
  readonly method?: string;
  /** A value is sent as JSON; text, bytes and forms as they are. */
  readonly json?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirect?: 'manual' | 'follow';
};

export const target = await fetchShared<Target>(inject('targetUrl'));

export const apiDocument = readApiDocument(
  await (await fetch(`${target.gateways[0]}/openapi.json`)).json(),
);

/** After this number of temporary refusals the gateway is not just slow. */
const mostRefusals = 60;

/**
 * A request, which is repeated after a temporary refusal, as merchants do (R2.9): on a slow machine
 * a step may miss its deadline. @throws without an answer
 */
export async function sendRequest(url: string, request: Request = {}): Promise<Answer> {
  for (let refusals = 1; ; refusals += 1) {
    const answer = await sendOnce(url, request);
    const retryAfterS = answer.headers.get('retry-after');
    if (answer.status !== 503 || retryAfterS === null || refusals >= mostRefusals) return answer;
    await delay(Number(retryAfterS) * 1_000);
  }
}

/**
 * One request with a deadline; every answer is checked against openapi.json, from 400 on against
 * R2.1. @throws without an answer
 */
export async function sendOnce(url: string, request: Request = {}): Promise<Answer> {
  const { json, raw, headers, method = 'POST', redirect = 'manual' } = request;
  const body = json === undefined ? raw : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    redirect,
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(waitLimitMs),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
  if (answer.status >= 400 && !url.startsWith(target.sandbox) && !url.startsWith(target.pay)) {
    const faults = problemFaults(answer, {
      path: new URL(url).pathname,
      gateway: target.gatewayUrl,
    });
    expect(faults, `${method} ${url}: ${text.slice(0, 2000)}`).toEqual([]);
  }
  const path = new URL(url).pathname;
  if (target.gateways.some((gateway) => url.startsWith(gateway))) {
    const described = apiDocument.faultsOf(method, path, answer);
    expect(described, `openapi.json, ${method} ${path}: ${text.slice(0, 2000)}`).toEqual([]);
  }
  return answer;
}

/** A request to the admin API. */
export async function admin(method: string, path: string, json?: unknown): Promise<Answer> {
  return sendRequest(`${target.admin}/admin/v1${path}`, {
    method,
    ...(json === undefined ? {} : { json }),
    headers: { authorization: `Bearer ${target.adminToken}` },
  });
}

/** A command to the sandbox provider. @throws unless it succeeds */
export async function control(operationId: string, command: string, json: object): Promise<Json> {
  const answer = await sendRequest(
    `${target.sandbox}/control/operations/${operationId}/${command}`,
    {
      json,
    },
  );
  if (answer.status !== 200) throw new Error(`${command}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** What the provider has received of an operation; empty lists if it received nothing. */
export async function provider(operationId: string): Promise<Json> {
  const answer = await sendRequest(`${target.sandbox}/control/operations/${operationId}`, {
    method: 'GET',
  });
  if (answer.status === 404) return { submissions: [], cancels: [], receipts: [], callbacks: [] };
  return answer.body;
}
