import type { BankTransfer } from '#examples/bank/connector/wire.ts';

/** The control API of the bank, for tests; `url`: of the sandbox's service. */
export function controlBank(url: string) {
  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${url}/control/bank${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return (await response.json()) as Answer;
  }
  return {
    /** Omitted options are reset. */
    behave: (behaviour: object) => call<object>('PUT', '/behaviour', behaviour),
    incoming: (transfer: { amount: string; purpose: string; late_ms?: number }) =>
      call<BankTransfer>('POST', '/incoming', transfer),
    decide: (id: string, state: 'booked' | 'rejected' | 'returned', amount?: string) =>
      call<BankTransfer>('POST', `/transfers/${id}`, {
        state,
        ...(amount !== undefined && { amount }),
      }),
    withPurpose: (part: string) =>
      call<BankTransfer[]>('GET', `/transfers?purpose=${encodeURIComponent(part)}`),
    plant: (difference: object) => call<object[]>('POST', '/differences', difference),
    clear: () => call<object[]>('DELETE', '/differences'),
  };
}

export type BankControl = ReturnType<typeof controlBank>;
