// Made from docs/openapi.json by `npm run openapi`: change that, not this.

/**
 * An exact decimal with two places, such as `"60.50"`: what a JSON number was written as, never a
 * float.
 */
export type DecimalText = string;

export type Balances = {
  /** One row for every currency, in alphabetical order. */
  balances: readonly {
    currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
    /**
     * Positive: the gateway owes the shop. The amounts reserved for payouts in progress are already
     * deducted.
     */
    balance: string;
    /** The shop’s debt: `max(-(balance + reserved), 0)`. */
    current_minus: string;
    /** Reserved for payouts in progress. */
    reserved: string;
  }[];
};

export type CancelOperation =
  | {
      operation_id: string;
      /** At most 2048 bytes of UTF-8 */
      reason?: string | undefined;
      merchant_operation_id?: undefined;
    }
  | {
      merchant_operation_id: string;
      /** At most 2048 bytes of UTF-8 */
      reason?: string | undefined;
      operation_id?: undefined;
    };

export type Cancellation = {
  outcome: 'cancelled' | 'already_terminal';
  operation: {
    /** Issued by the gateway. */
    operation_id: string;
    type: 'payment' | 'payout';
    /**
     * The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation`
     * and `manual_check` exist only for payments.
     */
    status:
      | 'pending'
      | 'awaiting_confirmation'
      | 'manual_check'
      | 'completed'
      | 'partially_completed'
      | 'declined'
      | 'expired'
      | 'cancelled';
    /**
     * As the create had it; absent where it had none, and once the client’s personal data was
     * erased.
     */
    metadata?: Readonly<Record<string, string>>;
  };
};

export type CheckedPayoutBatch = {
  batch_id: string;
  status: 'checked' | 'running' | 'done';
  /** Rows of the file, without its header. */
  rows: number;
  /**
   * The sum of the rows without an error, by currency: also of those that repeat a payout, which
   * are not paid again.
   */
  total: Readonly<Record<string, string>>;
  /** At most the first 1,000. While there is one, nothing is created. */
  errors: readonly {
    /** Counts from 1 below the header. */
    row: number;
    /** The field, or the whole row (`""`). */
    pointer: string;
    /**
     * As in `errors` of POST /v1/payout; `operation_exists`: an operation has this ID already, with
     * another body; or what a spreadsheet did to the cell: `cell_formula`, `cell_date`, and
     * `cell_number` where it shows another number than it stores.
     */
    code: string;
    /**
     * The cell as a spreadsheet names it, such as `D12`: there the header is row 1. Absent of a
     * whole row, and of a column that the file lacks.
     */
    cell?: string;
    /** Only of `operation_exists`: the operation that has the ID. */
    operation_id?: string;
    /** What is wrong, for people; the text may change. */
    detail: string;
  }[];
  /**
   * Only present while it is so: the file waits until another member than the one who uploaded it
   * confirms it in the portal. An API key can’t.
   */
  needs_second_member?: true;
};

export type CheckpointKeys = {
  keys: readonly {
    key_id: string;
    kty: 'OKP';
    crv: 'Ed25519';
    /** The public key in base64url. */
    x: string;
    valid_from: string;
    /** `null` for the key that signs now. */
    valid_until: string | null;
  }[];
};

export type Checkpoints = {
  checkpoints: readonly {
    /** The ledger: `<shop_id>/<currency>`. */
    origin: string;
    tree_size: number;
    /** RFC 9162, SHA-256, in base64url. */
    root: string;
    /** Every entry from before this time is in the tree, and no later one. */
    at: string;
    key_id: string;
    /**
     * Ed25519 in base64url, over the text `<origin>\n<tree_size>\n<root in standard
     * base64>\n<at>\n`.
     */
    signature: string;
    /** Proves that the tree began as the one of `from_size` entries. */
    consistency: {
      from_size: number;
      proof: readonly string[];
    };
  }[];
};

export type ConfirmPayment = {
  /** The operation’s id. */
  operation_id: string;
  confirmation_type: 'receipt';
  /** The file, a PDF. */
  receipt: Blob;
};

export type CreatePayment = {
  /**
   * The idempotency key of the operation within the shop. Never send a card number: the value is
   * stored and shown as sent, and can’t be erased.
   */
  merchant_operation_id: string;
  /**
   * Your system’s ID of the end user. Never send a card number: the value is stored and shown as
   * sent, and can’t be erased.
   */
  client_id: string;
  /** The end user’s IPv4 or IPv6 address, for antifraud. */
  client_ip?: string | undefined;
  method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  /** More than zero, with exactly two decimals. */
  amount: string;
  /** The currency of the method. */
  currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** The destination of a payout: a card or a phone number. */
  number?: string | undefined;
  /** The name of a payout’s recipient. */
  name?: string | undefined;
  /** The recipient’s bank of a payout by phone number. */
  bankname?: string | undefined;
  /**
   * Your own notes on the operation: at most 20 texts of 500 characters, by names of `A-Z a-z 0-9 _
   * . -`. Returned with the operation and in its webhooks, never shown to payers or providers.
   * Stored encrypted, and gone once the client’s personal data is erased.
   */
  metadata?: Readonly<Record<string, string>> | undefined;
};

export type CreatePayout =
  | {
      /**
       * The idempotency key of the operation within the shop. Never send a card number: the value
       * is stored and shown as sent, and can’t be erased.
       */
      merchant_operation_id: string;
      /**
       * Your system’s ID of the end user. Never send a card number: the value is stored and shown
       * as sent, and can’t be erased.
       */
      client_id: string;
      /** The end user’s IPv4 or IPv6 address, for antifraud. */
      client_ip?: string | undefined;
      method: 'WT_RUB_C2C';
      /** More than zero, with exactly two decimals. */
      amount: string;
      /** The currency of the method. */
      currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
      /** The destination of a payout: a card or a phone number. */
      number: string;
      /** The name of a payout’s recipient. */
      name?: string | undefined;
      /** The recipient’s bank of a payout by phone number. */
      bankname?: string | undefined;
      /**
       * Your own notes on the operation: at most 20 texts of 500 characters, by names of `A-Z a-z
       * 0-9 _ . -`. Returned with the operation and in its webhooks, never shown to payers or
       * providers. Stored encrypted, and gone once the client’s personal data is erased.
       */
      metadata?: Readonly<Record<string, string>> | undefined;
    }
  | {
      /**
       * The idempotency key of the operation within the shop. Never send a card number: the value
       * is stored and shown as sent, and can’t be erased.
       */
      merchant_operation_id: string;
      /**
       * Your system’s ID of the end user. Never send a card number: the value is stored and shown
       * as sent, and can’t be erased.
       */
      client_id: string;
      /** The end user’s IPv4 or IPv6 address, for antifraud. */
      client_ip?: string | undefined;
      method: 'WT_RUB_PHONE';
      /** More than zero, with exactly two decimals. */
      amount: string;
      /** The currency of the method. */
      currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
      /** The destination of a payout: a card or a phone number. */
      number: string;
      /** The name of a payout’s recipient. */
      name?: string | undefined;
      /** The recipient’s bank of a payout by phone number. */
      bankname: string;
      /**
       * Your own notes on the operation: at most 20 texts of 500 characters, by names of `A-Z a-z
       * 0-9 _ . -`. Returned with the operation and in its webhooks, never shown to payers or
       * providers. Stored encrypted, and gone once the client’s personal data is erased.
       */
      metadata?: Readonly<Record<string, string>> | undefined;
    };

export type EndpointDisabled = {
  /** The event’s id, the same on every attempt. */
  id: string;
  type: 'endpoint.disabled';
  /** When the event happened. */
  timestamp: string;
  sequence: 1;
  data: {
    shop_id: string;
    endpoint: {
      endpoint_id: string;
      url: string;
      description: string | null;
    };
    /**
     * `failing`: every attempt has failed for an hour. Otherwise it is disabled: `merchant`,
     * `operator`, or the reason of the gateway.
     */
    reason: string;
    /** Since when every attempt has failed; null where it is disabled. */
    failing_since: string | null;
  };
};

export type Methods = {
  methods: readonly {
    method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
    /** The currency of the method. */
    currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
    /** The kind of `number` in a payout: a card number or a phone number. */
    destination: 'card' | 'phone';
    /** The valid values of `bankname` in a payout; empty if the method has no banks. */
    banks: readonly {
      code: string;
      name: string;
    }[];
  }[];
  /** All currencies of balances. */
  currencies: readonly ('EUR' | 'RUB' | 'USD' | 'USDT')[];
};

export type NewWebhookEndpoint = {
  /** An `https:` URL with a public address. */
  url: string;
  /** The types of webhooks that are sent to it. */
  types?:
    | readonly (
        | 'payment.awaiting_confirmation'
        | 'payment.completed'
        | 'payment.partially_completed'
        | 'payment.declined'
        | 'payment.expired'
        | 'payment.cancelled'
        | 'payment.charged_back'
        | 'payout.completed'
        | 'payout.partially_completed'
        | 'payout.declined'
        | 'payout.returned'
        | 'endpoint.disabled'
        | 'ping'
      )[]
    | undefined;
  /** For people. */
  description?: string | undefined;
};

export type Operation = {
  /** Issued by the gateway. */
  operation_id: string;
  type: 'payment' | 'payout';
  /**
   * The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation`
   * and `manual_check` exist only for payments.
   */
  status:
    | 'pending'
    | 'awaiting_confirmation'
    | 'manual_check'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | 'cancelled';
  method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  /** The amount that was requested. */
  expected_amount: string;
  /** The money that has actually moved: `0.00` until then, whatever the status. */
  actual_amount: string;
  /** The currency of the request. */
  currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** The source of the rate; only with auto-conversion. */
  fx_source?: string;
  /** The quoted rate; only with auto-conversion. */
  fx_rate?: string;
  /** The ledger’s currency; only at a terminal status with money. */
  recorded_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** `actual_amount` times the rate; only at a terminal status with money. */
  recorded_amount?: string;
  /**
   * The change of the balance: the ledger amount less the commission for a payment, plus the
   * commission for a payout. Expected before a terminal status, final after it.
   */
  settlement_amount?: string;
  /** The ledger’s currency. */
  settlement_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  commission_amount?: string;
  /** The payer must confirm with a receipt: POST /v1/confirm_payment. */
  external_confirmation?: {
    required: boolean;
    methods: readonly 'receipt'[];
  };
  /**
   * Of a payment: the number that the payer must transfer to. Of a payout: its destination, a card
   * number masked to its first six and last four digits. Absent on a cancelled payment, and once
   * the client’s personal data was erased.
   */
  number?: string;
  /** The holder’s name; present only with `number`. */
  name?: string;
  /** The bank’s code. */
  bankname?: string;
  /** The bank’s display name. */
  bankname_details?: string;
  /**
   * Of a payment whose provider matches transfers by their purpose: exactly what the payer must
   * write as the purpose of the transfer.
   */
  transfer_purpose?: string;
  /** When the requisites stop being payable, if the provider reports it. */
  expires_at?: string;
  /**
   * Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is not
   * a PDF; this does not indicate fraud.
   */
  manual_check_reason?: 'potential_fake' | 'not_terminal';
  /**
   * As the create had it; absent where it had none, and once the client’s personal data was erased.
   */
  metadata?: Readonly<Record<string, string>>;
  /**
   * Only with `declined`. Each reason has a page that says what to do:
   * `/docs/decline-reasons/<reason with hyphens>`.
   */
  decline_reason?:
    | 'no_route'
    | 'routes_full'
    | 'provider_unavailable'
    | 'provider_refused'
    | 'acceptance_timeout'
    | 'insufficient_funds'
    | 'receipt_rejected'
    | 'provider_declined'
    | 'closed_by_operator';
};

export type OperationList = {
  /** Newest first. */
  operations: readonly {
    /** Issued by the gateway. */
    operation_id: string;
    type: 'payment' | 'payout';
    /**
     * The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation`
     * and `manual_check` exist only for payments.
     */
    status:
      | 'pending'
      | 'awaiting_confirmation'
      | 'manual_check'
      | 'completed'
      | 'partially_completed'
      | 'declined'
      | 'expired'
      | 'cancelled';
    method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
    /** The amount that was requested. */
    expected_amount: string;
    /** The money that has actually moved: `0.00` until then, whatever the status. */
    actual_amount: string;
    /** The currency of the request. */
    currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
    /** The source of the rate; only with auto-conversion. */
    fx_source?: string;
    /** The quoted rate; only with auto-conversion. */
    fx_rate?: string;
    /** The ledger’s currency; only at a terminal status with money. */
    recorded_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
    /** `actual_amount` times the rate; only at a terminal status with money. */
    recorded_amount?: string;
    /**
     * The change of the balance: the ledger amount less the commission for a payment, plus the
     * commission for a payout. Expected before a terminal status, final after it.
     */
    settlement_amount?: string;
    /** The ledger’s currency. */
    settlement_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
    commission_amount?: string;
    /** The payer must confirm with a receipt: POST /v1/confirm_payment. */
    external_confirmation?: {
      required: boolean;
      methods: readonly 'receipt'[];
    };
    /** When the requisites stop being payable, if the provider reports it. */
    expires_at?: string;
    /**
     * Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is
     * not a PDF; this does not indicate fraud.
     */
    manual_check_reason?: 'potential_fake' | 'not_terminal';
    /**
     * As the create had it; absent where it had none, and once the client’s personal data was
     * erased.
     */
    metadata?: Readonly<Record<string, string>>;
    /**
     * Only with `declined`. Each reason has a page that says what to do:
     * `/docs/decline-reasons/<reason with hyphens>`.
     */
    decline_reason?:
      | 'no_route'
      | 'routes_full'
      | 'provider_unavailable'
      | 'provider_refused'
      | 'acceptance_timeout'
      | 'insufficient_funds'
      | 'receipt_rejected'
      | 'provider_declined'
      | 'closed_by_operator';
    /** As the create sent it. */
    merchant_operation_id: string;
    /** As the create sent it. */
    client_id: string;
    /** When the create was admitted. */
    created_at: string;
    /**
     * All that went back of the operation’s money: a payment that was charged back, a payout that
     * was returned. Absent before. What went back after the terminal status changes no other field.
     */
    returned_amount?: string;
  }[];
  /** The `cursor` of the next page, with the same filters; null at the end. */
  next_cursor: string | null;
  /**
   * The list contains everything that happened before this time, which is the same on all its
   * pages. It advances even without new events.
   */
  as_of: string;
};

export type OperationReference =
  | {
      operation_id: string;
      merchant_operation_id?: undefined;
    }
  | {
      merchant_operation_id: string;
      operation_id?: undefined;
    };

export type OperationState = {
  /** Issued by the gateway. */
  operation_id: string;
  type: 'payment' | 'payout';
  /**
   * The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation`
   * and `manual_check` exist only for payments.
   */
  status:
    | 'pending'
    | 'awaiting_confirmation'
    | 'manual_check'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | 'cancelled';
  method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  /** The amount that was requested. */
  expected_amount: string;
  /** The money that has actually moved: `0.00` until then, whatever the status. */
  actual_amount: string;
  /** The currency of the request. */
  currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** The source of the rate; only with auto-conversion. */
  fx_source?: string;
  /** The quoted rate; only with auto-conversion. */
  fx_rate?: string;
  /** The ledger’s currency; only at a terminal status with money. */
  recorded_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** `actual_amount` times the rate; only at a terminal status with money. */
  recorded_amount?: string;
  /**
   * The change of the balance: the ledger amount less the commission for a payment, plus the
   * commission for a payout. Expected before a terminal status, final after it.
   */
  settlement_amount?: string;
  /** The ledger’s currency. */
  settlement_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  commission_amount?: string;
  /** The payer must confirm with a receipt: POST /v1/confirm_payment. */
  external_confirmation?: {
    required: boolean;
    methods: readonly 'receipt'[];
  };
  /**
   * Of a payment: the number that the payer must transfer to. Of a payout: its destination, a card
   * number masked to its first six and last four digits. Absent on a cancelled payment, and once
   * the client’s personal data was erased.
   */
  number?: string;
  /** The holder’s name; present only with `number`. */
  name?: string;
  /** The bank’s code. */
  bankname?: string;
  /** The bank’s display name. */
  bankname_details?: string;
  /**
   * Of a payment whose provider matches transfers by their purpose: exactly what the payer must
   * write as the purpose of the transfer.
   */
  transfer_purpose?: string;
  /** When the requisites stop being payable, if the provider reports it. */
  expires_at?: string;
  /**
   * Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is not
   * a PDF; this does not indicate fraud.
   */
  manual_check_reason?: 'potential_fake' | 'not_terminal';
  /**
   * As the create had it; absent where it had none, and once the client’s personal data was erased.
   */
  metadata?: Readonly<Record<string, string>>;
  /**
   * Only with `declined`. Each reason has a page that says what to do:
   * `/docs/decline-reasons/<reason with hyphens>`.
   */
  decline_reason?:
    | 'no_route'
    | 'routes_full'
    | 'provider_unavailable'
    | 'provider_refused'
    | 'acceptance_timeout'
    | 'insufficient_funds'
    | 'receipt_rejected'
    | 'provider_declined'
    | 'closed_by_operator';
  /** As the create sent it. */
  merchant_operation_id: string;
  /** As the create sent it. */
  client_id: string;
  /** When the create was admitted. */
  created_at: string;
  /**
   * All that went back of the operation’s money: a payment that was charged back, a payout that was
   * returned. Absent before. What went back after the terminal status changes no other field.
   */
  returned_amount?: string;
  /**
   * `not_ready`: no terminal status yet. `complete`: all items are from the provider and add up
   * exactly. `partial`: some are synthetic, without a file. `unavailable`: not available at the
   * moment; retry.
   */
  receipt_evidence_status: 'not_ready' | 'partial' | 'complete' | 'unavailable';
  /** One item for each transfer, sorted by `completed_at`, then `id`. */
  receipts: readonly {
    id: string;
    /** A JSON number; its decimal text is exact. */
    amount: DecimalText;
    completed_at: string;
    /** A download link that needs no API key and is valid for 15 minutes; null without a file. */
    receipt_url: string | null;
  }[];
};

export type OperationWithLink = {
  /** Issued by the gateway. */
  operation_id: string;
  type: 'payment' | 'payout';
  /**
   * The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation`
   * and `manual_check` exist only for payments.
   */
  status:
    | 'pending'
    | 'awaiting_confirmation'
    | 'manual_check'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | 'cancelled';
  method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
  /** The amount that was requested. */
  expected_amount: string;
  /** The money that has actually moved: `0.00` until then, whatever the status. */
  actual_amount: string;
  /** The currency of the request. */
  currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** The source of the rate; only with auto-conversion. */
  fx_source?: string;
  /** The quoted rate; only with auto-conversion. */
  fx_rate?: string;
  /** The ledger’s currency; only at a terminal status with money. */
  recorded_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  /** `actual_amount` times the rate; only at a terminal status with money. */
  recorded_amount?: string;
  /**
   * The change of the balance: the ledger amount less the commission for a payment, plus the
   * commission for a payout. Expected before a terminal status, final after it.
   */
  settlement_amount?: string;
  /** The ledger’s currency. */
  settlement_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
  commission_amount?: string;
  /** The payer must confirm with a receipt: POST /v1/confirm_payment. */
  external_confirmation?: {
    required: boolean;
    methods: readonly 'receipt'[];
  };
  /**
   * Of a payment: the number that the payer must transfer to. Of a payout: its destination, a card
   * number masked to its first six and last four digits. Absent on a cancelled payment, and once
   * the client’s personal data was erased.
   */
  number?: string;
  /** The holder’s name; present only with `number`. */
  name?: string;
  /** The bank’s code. */
  bankname?: string;
  /** The bank’s display name. */
  bankname_details?: string;
  /**
   * Of a payment whose provider matches transfers by their purpose: exactly what the payer must
   * write as the purpose of the transfer.
   */
  transfer_purpose?: string;
  /** When the requisites stop being payable, if the provider reports it. */
  expires_at?: string;
  /**
   * Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is not
   * a PDF; this does not indicate fraud.
   */
  manual_check_reason?: 'potential_fake' | 'not_terminal';
  /**
   * As the create had it; absent where it had none, and once the client’s personal data was erased.
   */
  metadata?: Readonly<Record<string, string>>;
  /**
   * Only with `declined`. Each reason has a page that says what to do:
   * `/docs/decline-reasons/<reason with hyphens>`.
   */
  decline_reason?:
    | 'no_route'
    | 'routes_full'
    | 'provider_unavailable'
    | 'provider_refused'
    | 'acceptance_timeout'
    | 'insufficient_funds'
    | 'receipt_rejected'
    | 'provider_declined'
    | 'closed_by_operator';
  /** The hosted page; null if it is not enabled for the shop, or the payment is cancelled. */
  payment_url: string | null;
};

export type PayoutBatch = {
  batch_id: string;
  status: 'checked' | 'running' | 'done';
  /** Rows of the file, without its header. */
  rows: number;
  /**
   * The sum of the rows without an error, by currency: also of those that repeat a payout, which
   * are not paid again.
   */
  total: Readonly<Record<string, string>>;
  /** At most the first 1,000. While there is one, nothing is created. */
  errors: readonly {
    /** Counts from 1 below the header. */
    row: number;
    /** The field, or the whole row (`""`). */
    pointer: string;
    /**
     * As in `errors` of POST /v1/payout; `operation_exists`: an operation has this ID already, with
     * another body; or what a spreadsheet did to the cell: `cell_formula`, `cell_date`, and
     * `cell_number` where it shows another number than it stores.
     */
    code: string;
    /**
     * The cell as a spreadsheet names it, such as `D12`: there the header is row 1. Absent of a
     * whole row, and of a column that the file lacks.
     */
    cell?: string;
    /** Only of `operation_exists`: the operation that has the ID. */
    operation_id?: string;
    /** What is wrong, for people; the text may change. */
    detail: string;
  }[];
  /**
   * Only present while it is so: the file waits until another member than the one who uploaded it
   * confirms it in the portal. An API key can’t.
   */
  needs_second_member?: true;
  /** Rows whose payout a provider has accepted. */
  created: number;
  /** Rows without a payout; the result file says why. */
  failed: number;
};

export type PayoutFile = string;

export type Statement = {
  version: 2;
  shop_id: string;
  currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
  from: string;
  to: string;
  opening: string;
  /** `opening` and all amounts. */
  closing: string;
  /** The entry before `entries`; `null` where they begin with the first one. */
  before: {
    entry_id: string;
    /** `null` for an adjustment. */
    operation_id: string | null;
    merchant_operation_id: string | null;
    kind: 'reserve' | 'capture' | 'release' | 'credit' | 'adjustment' | 'suspense' | 'resolution';
    /** What the entry adds to the balance. */
    amount: string;
    /** The reserved amount after the entry. */
    reserved: string;
    /** The balance after the entry. */
    balance: string;
    at: string;
    /** RFC 9162, SHA-256, in base64url. */
    leaf: string;
    proof: {
      index: number;
      hashes: readonly string[];
    };
  } | null;
  entries: readonly {
    entry_id: string;
    /** `null` for an adjustment. */
    operation_id: string | null;
    merchant_operation_id: string | null;
    kind: 'reserve' | 'capture' | 'release' | 'credit' | 'adjustment' | 'suspense' | 'resolution';
    /** What the entry adds to the balance. */
    amount: string;
    /** The reserved amount after the entry. */
    reserved: string;
    /** The balance after the entry. */
    balance: string;
    at: string;
    /** RFC 9162, SHA-256, in base64url. */
    leaf: string;
    proof: {
      index: number;
      hashes: readonly string[];
    };
  }[];
  /** The entry after `entries`; `null` where there is none, and the checkpoint covers `to`. */
  after: {
    entry_id: string;
    /** `null` for an adjustment. */
    operation_id: string | null;
    merchant_operation_id: string | null;
    kind: 'reserve' | 'capture' | 'release' | 'credit' | 'adjustment' | 'suspense' | 'resolution';
    /** What the entry adds to the balance. */
    amount: string;
    /** The reserved amount after the entry. */
    reserved: string;
    /** The balance after the entry. */
    balance: string;
    at: string;
    /** RFC 9162, SHA-256, in base64url. */
    leaf: string;
    proof: {
      index: number;
      hashes: readonly string[];
    };
  } | null;
  checkpoint: {
    /** The ledger: `<shop_id>/<currency>`. */
    origin: string;
    tree_size: number;
    /** RFC 9162, SHA-256, in base64url. */
    root: string;
    /** Every entry from before this time is in the tree, and no later one. */
    at: string;
    key_id: string;
    /**
     * Ed25519 in base64url, over the text `<origin>\n<tree_size>\n<root in standard
     * base64>\n<at>\n`.
     */
    signature: string;
  };
  /** Proves that the tree began as the one of `from_size` entries. */
  consistency: {
    from_size: number;
    proof: readonly string[];
  };
};

export type Webhook = {
  /** The event’s id, the same on every attempt. */
  id: string;
  type:
    | 'payment.awaiting_confirmation'
    | 'payment.completed'
    | 'payment.partially_completed'
    | 'payment.declined'
    | 'payment.expired'
    | 'payment.cancelled'
    | 'payment.charged_back'
    | 'payout.completed'
    | 'payout.partially_completed'
    | 'payout.declined'
    | 'payout.returned';
  /** When the event happened. */
  timestamp: string;
  /** The number of the webhook within its operation, from 1. */
  sequence: number;
  data: {
    shop_id: string;
    /** The operation as it was at that event. */
    operation: {
      /** Issued by the gateway. */
      operation_id: string;
      type: 'payment' | 'payout';
      /**
       * The last five are terminal and never change. `expired`, `cancelled`,
       * `awaiting_confirmation` and `manual_check` exist only for payments.
       */
      status:
        | 'pending'
        | 'awaiting_confirmation'
        | 'manual_check'
        | 'completed'
        | 'partially_completed'
        | 'declined'
        | 'expired'
        | 'cancelled';
      method: 'WT_RUB_C2C' | 'WT_RUB_PHONE';
      /** The amount that was requested. */
      expected_amount: string;
      /** The money that has actually moved: `0.00` until then, whatever the status. */
      actual_amount: string;
      /** The currency of the request. */
      currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
      /** The source of the rate; only with auto-conversion. */
      fx_source?: string;
      /** The quoted rate; only with auto-conversion. */
      fx_rate?: string;
      /** The ledger’s currency; only at a terminal status with money. */
      recorded_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
      /** `actual_amount` times the rate; only at a terminal status with money. */
      recorded_amount?: string;
      /**
       * The change of the balance: the ledger amount less the commission for a payment, plus the
       * commission for a payout. Expected before a terminal status, final after it.
       */
      settlement_amount?: string;
      /** The ledger’s currency. */
      settlement_currency?: 'EUR' | 'RUB' | 'USD' | 'USDT';
      commission_amount?: string;
      /** The payer must confirm with a receipt: POST /v1/confirm_payment. */
      external_confirmation?: {
        required: boolean;
        methods: readonly 'receipt'[];
      };
      /** The bank’s code. */
      bankname?: string;
      /** The bank’s display name. */
      bankname_details?: string;
      /**
       * Of a payment whose provider matches transfers by their purpose: exactly what the payer must
       * write as the purpose of the transfer.
       */
      transfer_purpose?: string;
      /** When the requisites stop being payable, if the provider reports it. */
      expires_at?: string;
      /**
       * Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is
       * not a PDF; this does not indicate fraud.
       */
      manual_check_reason?: 'potential_fake' | 'not_terminal';
      /**
       * As the create had it; absent where it had none, and once the client’s personal data was
       * erased.
       */
      metadata?: Readonly<Record<string, string>>;
      /**
       * Only with `declined`. Each reason has a page that says what to do:
       * `/docs/decline-reasons/<reason with hyphens>`.
       */
      decline_reason?:
        | 'no_route'
        | 'routes_full'
        | 'provider_unavailable'
        | 'provider_refused'
        | 'acceptance_timeout'
        | 'insufficient_funds'
        | 'receipt_rejected'
        | 'provider_declined'
        | 'closed_by_operator';
      /** As the create sent it. */
      merchant_operation_id: string;
      /** As the create sent it. */
      client_id: string;
      /** When the create was admitted. */
      created_at: string;
    };
    /** Only with `payment.charged_back` and `payout.returned`; `operation` is as it ended. */
    returned?: {
      /** What went back this time. */
      amount: string;
      currency: 'EUR' | 'RUB' | 'USD' | 'USDT';
      /** All that went back of the operation so far, with this. */
      total: string;
      /** When it went back, as the provider reports it. */
      at: string;
    };
  };
};

export type WebhookEndpoint = {
  endpoint_id: string;
  url: string;
  /** Every type, where the endpoint names none. */
  types: readonly (
    | 'payment.awaiting_confirmation'
    | 'payment.completed'
    | 'payment.partially_completed'
    | 'payment.declined'
    | 'payment.expired'
    | 'payment.cancelled'
    | 'payment.charged_back'
    | 'payout.completed'
    | 'payout.partially_completed'
    | 'payout.declined'
    | 'payout.returned'
    | 'endpoint.disabled'
    | 'ping'
  )[];
  description: string | null;
  enabled: boolean;
  /** `merchant`, `operator`, or why the gateway disabled it. */
  disabled_reason: string | null;
  created_at: string;
};

export type WebhookEndpointChange = {
  /** An `https:` URL with a public address. */
  url?: string | undefined;
  /** The types of webhooks that are sent to it; null: all. */
  types?:
    | readonly (
        | 'payment.awaiting_confirmation'
        | 'payment.completed'
        | 'payment.partially_completed'
        | 'payment.declined'
        | 'payment.expired'
        | 'payment.cancelled'
        | 'payment.charged_back'
        | 'payout.completed'
        | 'payout.partially_completed'
        | 'payout.declined'
        | 'payout.returned'
        | 'endpoint.disabled'
        | 'ping'
      )[]
    | null
    | undefined;
  description?: string | null | undefined;
  /** While it is false, webhooks wait, and are sent in order once it is true. */
  enabled?: boolean | undefined;
};

export type WebhookEndpointList = {
  /** The oldest first. */
  webhook_endpoints: readonly {
    endpoint_id: string;
    url: string;
    /** Every type, where the endpoint names none. */
    types: readonly (
      | 'payment.awaiting_confirmation'
      | 'payment.completed'
      | 'payment.partially_completed'
      | 'payment.declined'
      | 'payment.expired'
      | 'payment.cancelled'
      | 'payment.charged_back'
      | 'payout.completed'
      | 'payout.partially_completed'
      | 'payout.declined'
      | 'payout.returned'
      | 'endpoint.disabled'
      | 'ping'
    )[];
    description: string | null;
    enabled: boolean;
    /** `merchant`, `operator`, or why the gateway disabled it. */
    disabled_reason: string | null;
    created_at: string;
  }[];
};

export type WebhookEndpointWithSecret = {
  endpoint_id: string;
  url: string;
  /** Every type, where the endpoint names none. */
  types: readonly (
    | 'payment.awaiting_confirmation'
    | 'payment.completed'
    | 'payment.partially_completed'
    | 'payment.declined'
    | 'payment.expired'
    | 'payment.cancelled'
    | 'payment.charged_back'
    | 'payout.completed'
    | 'payout.partially_completed'
    | 'payout.declined'
    | 'payout.returned'
    | 'endpoint.disabled'
    | 'ping'
  )[];
  description: string | null;
  enabled: boolean;
  /** `merchant`, `operator`, or why the gateway disabled it. */
  disabled_reason: string | null;
  created_at: string;
  /** Signs its webhooks. Shown only this once. */
  secret: string;
};

/** Every endpoint for API keys, with its error codes. */
export const endpoints = {
  /** Create a payment. */
  createPayment: {
    method: 'POST',
    path: '/v1/payment',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'idempotency_body_mismatch',
      'body_too_large',
      'content_type_unsupported',
      'provider_not_accepted',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Create a payment with a hosted page. */
  createPaymentLink: {
    method: 'POST',
    path: '/v1/payment/link',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'idempotency_body_mismatch',
      'body_too_large',
      'content_type_unsupported',
      'provider_not_accepted',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Create a payout. */
  createPayout: {
    method: 'POST',
    path: '/v1/payout',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'idempotency_body_mismatch',
      'body_too_large',
      'content_type_unsupported',
      'provider_not_accepted',
      'insufficient_funds',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** List the operations. */
  listOperations: {
    method: 'GET',
    path: '/v1/operations',
    sends: 'query',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Read an operation. */
  getOperationState: {
    method: 'POST',
    path: '/v1/get_operation_state',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'operation_not_found',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
      'receipt_evidence_unavailable',
    ],
  },
  /** Cancel a payment. */
  cancelOperation: {
    method: 'POST',
    path: '/v1/cancel_operation',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'operation_not_found',
      'cancel_payout_unsupported',
      'cancel_not_allowed',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
      'cancel_undecided',
    ],
  },
  /** Confirm a payment with a receipt. */
  confirmPayment: {
    method: 'POST',
    path: '/v1/confirm_payment',
    sends: 'form',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'operation_not_found',
      'confirmation_not_expected',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Read the balances. */
  getBalances: {
    method: 'GET',
    path: '/v1/balances',
    sends: 'nothing',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'accounting_inconsistent',
      'not_ready',
      'accounting_unavailable',
    ],
  },
  /** List methods, banks and currencies. */
  listMethods: {
    method: 'GET',
    path: '/v1/methods',
    sends: 'nothing',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Check a file of payouts. */
  checkPayoutBatch: {
    method: 'POST',
    path: '/v1/payout-batches',
    sends: 'csv',
    answers: { status: 201, as: 'json' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Confirm a file of payouts. */
  confirmPayoutBatch: {
    method: 'POST',
    path: '/v1/payout-batches/{batch_id}/confirm',
    sends: 'path',
    answers: { status: 202, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'second_member_required',
      'not_found',
      'confirmation_not_expected',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Read the progress of a file of payouts. */
  getPayoutBatch: {
    method: 'GET',
    path: '/v1/payout-batches/{batch_id}',
    sends: 'path',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Export the result of a file of payouts. */
  getPayoutBatchResult: {
    method: 'GET',
    path: '/v1/payout-batches/{batch_id}/result.csv',
    sends: 'path',
    answers: { status: 200, as: 'csv' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Add a webhook endpoint. */
  createWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook-endpoints',
    sends: 'json',
    answers: { status: 201, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'too_many_endpoints',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** List the webhook endpoints. */
  listWebhookEndpoints: {
    method: 'GET',
    path: '/v1/webhook-endpoints',
    sends: 'nothing',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Read a webhook endpoint. */
  getWebhookEndpoint: {
    method: 'GET',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    sends: 'path',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Change a webhook endpoint. */
  changeWebhookEndpoint: {
    method: 'PATCH',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    sends: 'json',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_json',
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'body_too_large',
      'content_type_unsupported',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Delete a webhook endpoint. */
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    sends: 'path',
    answers: { status: 204, as: 'nothing' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Rotate the secret of a webhook endpoint. */
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/rotate-secret',
    sends: 'path',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'not_found',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Export the operations. */
  exportOperations: {
    method: 'GET',
    path: '/v1/operations.csv',
    sends: 'query',
    answers: { status: 200, as: 'csv' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Export the ledger entries. */
  exportJournal: {
    method: 'GET',
    path: '/v1/journal.csv',
    sends: 'query',
    answers: { status: 200, as: 'csv' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Export the webhook deliveries. */
  exportDeliveries: {
    method: 'GET',
    path: '/v1/webhook-deliveries.csv',
    sends: 'query',
    answers: { status: 200, as: 'csv' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Read a statement with proofs. */
  getStatement: {
    method: 'GET',
    path: '/v1/statements',
    sends: 'query',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** Export a statement. */
  exportStatement: {
    method: 'GET',
    path: '/v1/statements.csv',
    sends: 'query',
    answers: { status: 200, as: 'csv' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** List the signed checkpoints. */
  listCheckpoints: {
    method: 'GET',
    path: '/v1/checkpoints',
    sends: 'query',
    answers: { status: 200, as: 'json' },
    problems: [
      'invalid_request',
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
  /** List the keys of checkpoints. */
  listCheckpointKeys: {
    method: 'GET',
    path: '/v1/keys',
    sends: 'nothing',
    answers: { status: 200, as: 'json' },
    problems: [
      'api_key_required',
      'api_key_invalid',
      'forbidden',
      'rate_limited',
      'internal_error',
      'not_ready',
    ],
  },
} as const;

/** What each endpoint takes. */
export type Requests = {
  createPayment: CreatePayment;
  createPaymentLink: CreatePayment;
  createPayout: CreatePayout;
  listOperations: {
    /** Returns only operations of this type. */
    type?: 'payment' | 'payout' | undefined;
    /** Returns only operations with this status. */
    status?:
      | 'pending'
      | 'awaiting_confirmation'
      | 'manual_check'
      | 'completed'
      | 'partially_completed'
      | 'declined'
      | 'expired'
      | 'cancelled'
      | undefined;
    /** Returns only the operation with this `merchant_operation_id`. */
    merchant_operation_id?: string | undefined;
    /** Returns only operations of this end user. */
    client_id?: string | undefined;
    /** Returns only operations created at or after this time (RFC 3339; encode `+` as `%2B`). */
    created_from?: string | undefined;
    /** Returns only operations created before this time. */
    created_to?: string | undefined;
    /** The maximum number of operations per page. */
    limit?: number | undefined;
    /** The `next_cursor` of the previous page. */
    cursor?: string | undefined;
  };
  getOperationState: OperationReference;
  cancelOperation: CancelOperation;
  confirmPayment: ConfirmPayment;
  getBalances: undefined;
  listMethods: undefined;
  checkPayoutBatch: { file: string | Blob };
  confirmPayoutBatch: {
    /** The id of the batch. Another shop’s is not found. */
    batch_id: string;
  };
  getPayoutBatch: {
    /** The id of the batch. Another shop’s is not found. */
    batch_id: string;
  };
  getPayoutBatchResult: {
    /** The id of the batch. Another shop’s is not found. */
    batch_id: string;
  };
  createWebhookEndpoint: NewWebhookEndpoint;
  listWebhookEndpoints: undefined;
  getWebhookEndpoint: {
    /** The id of the endpoint. Another shop’s is not found. */
    endpoint_id: string;
  };
  changeWebhookEndpoint: {
    /** The id of the endpoint. Another shop’s is not found. */
    endpoint_id: string;
  } & WebhookEndpointChange;
  deleteWebhookEndpoint: {
    /** The id of the endpoint. Another shop’s is not found. */
    endpoint_id: string;
  };
  rotateWebhookSecret: {
    /** The id of the endpoint. Another shop’s is not found. */
    endpoint_id: string;
  };
  exportOperations: {
    /** Only operations of this type. */
    type?: 'payment' | 'payout' | undefined;
    /** Only operations with this status. */
    status?:
      | 'pending'
      | 'awaiting_confirmation'
      | 'manual_check'
      | 'completed'
      | 'partially_completed'
      | 'declined'
      | 'expired'
      | 'cancelled'
      | undefined;
    /** Only the operation with this ID. */
    merchant_operation_id?: string | undefined;
    /** Only operations of this end user. */
    client_id?: string | undefined;
    /** Only operations created at or after this time (RFC 3339; encode `+` as `%2B`). */
    created_from?: string | undefined;
    /** Only operations created before this time. */
    created_to?: string | undefined;
  };
  exportJournal: {
    /** Only entries in this currency. */
    currency?: 'EUR' | 'RUB' | 'USD' | 'USDT' | undefined;
    /** Only entries posted at or after this time (RFC 3339; encode `+` as `%2B`). */
    posted_from?: string | undefined;
    /** Only entries posted before this time. */
    posted_to?: string | undefined;
  };
  exportDeliveries: {
    /** Only webhooks of this operation. */
    operation_id?: string | undefined;
    /** Only webhooks with this status. */
    status?: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | undefined;
    /** Only webhooks recorded at or after this time (RFC 3339; encode `+` as `%2B`). */
    created_from?: string | undefined;
    /** Only webhooks recorded before this time. */
    created_to?: string | undefined;
  };
  getStatement: {
    /** May be left out where the shop has entries in one only. */
    currency?: 'EUR' | 'RUB' | 'USD' | 'USDT' | undefined;
    /** The beginning (RFC 3339; encode `+` as `%2B`). */
    from: string;
    /** The end, exclusive; not in the future. */
    to: string;
  };
  exportStatement: {
    /** May be left out where the shop has entries in one only. */
    currency?: 'EUR' | 'RUB' | 'USD' | 'USDT' | undefined;
    /** The beginning (RFC 3339; encode `+` as `%2B`). */
    from: string;
    /** The end, exclusive; not in the future. */
    to: string;
  };
  listCheckpoints: {
    /** May be left out where the shop has entries in one only. */
    currency?: 'EUR' | 'RUB' | 'USD' | 'USDT' | undefined;
    /** Only checkpoints with at least this number of entries. */
    from_size?: number | undefined;
  };
  listCheckpointKeys: undefined;
};

/** What each endpoint answers with. */
export type Answers = {
  createPayment: Operation;
  createPaymentLink: OperationWithLink;
  createPayout: Operation;
  listOperations: OperationList;
  getOperationState: OperationState;
  cancelOperation: Cancellation;
  confirmPayment: Operation;
  getBalances: Balances;
  listMethods: Methods;
  checkPayoutBatch: CheckedPayoutBatch;
  confirmPayoutBatch: PayoutBatch;
  getPayoutBatch: PayoutBatch;
  getPayoutBatchResult: string;
  createWebhookEndpoint: WebhookEndpointWithSecret;
  listWebhookEndpoints: WebhookEndpointList;
  getWebhookEndpoint: WebhookEndpoint;
  changeWebhookEndpoint: WebhookEndpoint;
  deleteWebhookEndpoint: undefined;
  rotateWebhookSecret: WebhookEndpointWithSecret;
  exportOperations: string;
  exportJournal: string;
  exportDeliveries: string;
  getStatement: Statement;
  exportStatement: string;
  listCheckpoints: Checkpoints;
  listCheckpointKeys: CheckpointKeys;
};

/** The HTTP status of each code. */
export const problemStatuses = {
  invalid_json: 400,
  invalid_request: 400,
  api_key_required: 401,
  api_key_invalid: 401,
  forbidden: 403,
  idempotency_body_mismatch: 412,
  body_too_large: 413,
  content_type_unsupported: 415,
  provider_not_accepted: 422,
  rate_limited: 429,
  internal_error: 500,
  not_ready: 503,
  insufficient_funds: 422,
  operation_not_found: 404,
  receipt_evidence_unavailable: 503,
  cancel_payout_unsupported: 412,
  cancel_not_allowed: 412,
  cancel_undecided: 503,
  confirmation_not_expected: 412,
  accounting_inconsistent: 500,
  accounting_unavailable: 503,
  second_member_required: 403,
  not_found: 404,
  too_many_endpoints: 409,
} as const;

/** What can be wrong with a single field. */
export type FieldCode =
  | 'field_required'
  | 'field_invalid'
  | 'field_unknown'
  | 'scope_field_forbidden'
  | 'amount_invalid'
  | 'method_unknown'
  | 'currency_unknown'
  | 'currency_method_mismatch'
  | 'client_ip_invalid'
  | 'number_invalid'
  | 'bankname_unknown'
  | 'number_required'
  | 'bankname_required'
  | 'identifier_required'
  | 'identifier_ambiguous'
  | 'operation_id_invalid'
  | 'reason_too_long'
  | 'confirmation_type_unknown'
  | 'receipt_required';
