type ReceiptItem = {
  id: string;
  /** An exact decimal, written into the JSON as it is: a double would round it. */
  amount: unknown;
  completed_at: string;
  receipt_url: string | null;
};

export type ReceiptEvidence = {
  receipt_evidence_status: 'not_ready' | 'partial' | 'complete' | 'unavailable';
  receipts: ReceiptItem[];
};
