/** The kind of `number` in a method's requisites: how it is checked, stored, masked and named. */
export type DestinationKind = 'card' | 'phone';

export type Destination = {
  /** For a person: `number` is … */
  called: string;
  /** A payout's number as it is stored, without the separators that people write. */
  pattern: RegExp;
  rule: string;
  separators?: RegExp;
  /** `pattern` and `separators` as one JSON Schema pattern for the number as it is sent. */
  jsonPattern: string;
  /** Whether a merchant sees a payout's number only masked (R5.7). */
  masked: boolean;
  /** How many of the first digits an operator sees in addition to the last four (R16.5). */
  firstShown: number;
};

export const destinations: Readonly<Record<DestinationKind, Destination>> = {
  card: {
    called: 'a card number',
    pattern: /^[0-9]{12,19}$/,
    rule: '12 to 19 digits',
    separators: /[ -]/g,
    jsonPattern: '^[ -]*([0-9][ -]*){12,19}$',
    masked: true,
    firstShown: 6,
  },
  phone: {
    called: 'a phone number',
    pattern: /^\+?[0-9]{10,15}$/,
    rule: '10 to 15 digits with an optional leading +',
    jsonPattern: '^\\+?[0-9]{10,15}$',
    masked: false,
    firstShown: 0,
  },
};
