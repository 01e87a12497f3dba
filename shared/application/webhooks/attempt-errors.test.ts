import { expect, it } from 'vitest';
import {
  attemptErrorWords,
  connectionErrors,
  destinationRefused,
  noAnswer,
  otherError,
  responseStatusError,
  urlRefusals,
} from './attempt-errors.ts';

it.each([
  ...Object.values(connectionErrors),
  ...Object.values(urlRefusals).map(destinationRefused),
  responseStatusError(302),
  responseStatusError(503),
  noAnswer(15),
  noAnswer(0.5),
  otherError('EPROTO'),
])('finds the words of a stored error by its English text: $en', (words) => {
  expect(attemptErrorWords(words.en)).toEqual(words);
  expect(words.ru).toMatch(/[а-яё]{3,}/i);
});

it('knows no words for the text of an earlier version', () => {
  expect(attemptErrorWords('socket hang up')).toBeUndefined();
});
