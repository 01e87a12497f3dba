import { expect, it } from 'vitest';
import { bankLabel } from './index.ts';

it.each([
  [{ code: 'sberbank' }, 'Sberbank', 'Сбербанк'],
  [{ code: 'sberbank', name: 'СБЕР' }, 'Sberbank', 'СБЕР'],
  [{ code: 'other', name: 'Другой банк' }, 'Другой банк', 'Другой банк'],
  [{ code: 'toString' }, 'toString', 'toString'],
  [{ code: null, name: 'Другой банк' }, 'Другой банк', 'Другой банк'],
  [{}, '', ''],
])('names a bank in the language of the page: %o', (bank, en, ru) => {
  expect([bankLabel('en', bank), bankLabel('ru', bank)]).toEqual([en, ru]);
});
