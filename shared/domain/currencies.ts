/** Everything that the gateway has to know about a currency. */
type CurrencyEntry = {
  /** How many decimals its smallest unit has. */
  decimals: number;
};

/** Known currencies, also such as no ledger has. No entry is ever removed. */
const table = {
  BHD: { decimals: 3 },
  EUR: { decimals: 2 },
  JPY: { decimals: 0 },
  RUB: { decimals: 2 },
  USD: { decimals: 2 },
  USDT: { decimals: 2 },
} as const satisfies Record<string, CurrencyEntry>;

type Table = typeof table;
/** Amounts have two places everywhere (R3.3), which a currency with more does not fit. */
type FittingCurrency = {
  [Name in keyof Table]: Table[Name]['decimals'] extends 0 | 1 | 2 ? Name : never;
}[keyof Table];

/** The currencies of ledgers, in alphabetical order. */
export const currencies = [
  'EUR',
  'RUB',
  'USD',
  'USDT',
] as const satisfies readonly FittingCurrency[];

export type Currency = (typeof currencies)[number];

export const isCurrency = (name: string): name is Currency =>
  currencies.some((currency) => currency === name);

/** How many decimals amounts in a currency have; two in one that is unknown. */
export const decimalsIn = (currency: string): number =>
  Object.hasOwn(table, currency) ? table[currency as keyof Table].decimals : 2;
