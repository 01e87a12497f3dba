export const operationTypes = ['payment', 'payout'] as const;
export type OperationType = (typeof operationTypes)[number];
