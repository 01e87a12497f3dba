import { listedMethods } from './examples.ts';
import { methodsAnswerSchema } from '../../bodies/methods.ts';
import { balancesSchema } from '../answers.ts';
import type { EndpointText } from '../endpoint.ts';

const zeros = { balance: '0.00', current_minus: '0.00', reserved: '0.00' };

export const accountEndpoints: readonly EndpointText[] = [
  {
    method: 'get',
    path: '/v1/balances',
    id: 'getBalances',
    tag: 'Account',
    summary: 'Read the balances',
    description:
      'One row for every currency, including zero balances, all as of the same time. Never older than the state that a response or a webhook has already shown.',
    scope: 'read',
    answer: {
      status: 200,
      description: 'The shop’s position in every currency',
      name: 'Balances',
      schema: balancesSchema,
      examples: {
        balances: {
          summary: 'A payout of 102.50 is in progress',
          value: {
            balances: [
              { currency: 'EUR', ...zeros },
              { currency: 'RUB', balance: '-12.50', current_minus: '0.00', reserved: '102.50' },
              { currency: 'USD', ...zeros, balance: '20.00' },
              { currency: 'USDT', ...zeros },
            ],
          },
        },
      },
    },
    problems: ['accounting_inconsistent', 'accounting_unavailable'],
  },
  {
    method: 'get',
    path: '/v1/methods',
    id: 'listMethods',
    tag: 'Account',
    summary: 'List methods, banks and currencies',
    description:
      'The valid values of `method`, `bankname` and `currency`. They change only with a new version of the gateway.',
    scope: 'read',
    answer: {
      status: 200,
      description: 'Every method with its banks, and every currency',
      name: 'Methods',
      schema: methodsAnswerSchema,
      examples: {
        methods: {
          summary: 'Shortened',
          value: {
            methods: listedMethods,
            currencies: ['EUR', 'RUB', 'USD', 'USDT'],
          },
        },
      },
    },
  },
];
