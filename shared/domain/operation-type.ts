export type OperationType = 'payment' | 'payout';
